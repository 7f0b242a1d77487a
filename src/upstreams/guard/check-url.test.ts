import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../platform/kernel/error.ts';
import { checkUrl, isPublicAddress } from './check-url.ts';

const POLICY = { allowPrivate: false, ownHosts: new Set(['gateway.example.com']) };

function codeOf(address: string, policy = POLICY): string {
  try {
    return checkUrl(address, policy).href;
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

/** Ways to write hosts that are on no public network, in the lists of OWASP, awslabs and the MCP security practices. */
const HOSTS = `
127.0.0.1 127.0.0.1. 127.1 127.0.1 127.000.000.001 127.1.1.1 127.255.255.254 0177.0.0.1 0177.1 017700000001
0x7f.0.0.1 0x7f.1 0x7f000001 0X7F000001 0x7f.0x0.0x0.0x1 0x07f.0x0.1 2130706433 2130706433. 0177.0x0.0.1 00000177.1
１２７.０.０.１ １２７。０。０。１ ①②⑦.⓪.⓪.① 127%2e0%2e0%2e1 %31%32%37.0.0.1 127｡0｡0｡1 0 0. 0x0 00 0.0.0.0 0.0 0.0.0.1
10.0.0.1 10.1 012.1 0xa.1 167772161 0x0a000001 10.255.255.255 172.16.0.1 172.16.1 172.31.255.254 0254.020.0.1 0xac100001
2886729729 192.168.0.1 192.168.1 192.168.1.254 0300.0250.0.1 0xc0a80001 3232235521 169.254.169.254 169.254.43518
2852039166 0xa9fea9fe 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe 169.254.170.2 169.254.0.1 100.64.0.1 100.100.100.200
100.127.255.254 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.254 198.51.100.1 203.0.113.1
224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 4294967295 0xffffffff 168.63.129.16 0xa83f8110 [::ffff:168.63.129.16] 192.31.196.1 192.52.193.1 192.175.48.1
[::] [::0] [0:0:0:0:0:0:0:0] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001]
[::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:127.0.0.1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:10.0.0.1] [::ffff:a00:1]
[::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [::ffff:192.168.0.1] [::ffff:0.0.0.0] [::ffff:0:127.0.0.1] [::127.0.0.1]
[::7f00:1] [::10.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1] [2002:7f00:1::]
[2002:a00:1::1] [2002:a9fe:a9fe::] [2001::1] [2001:0:7f00:1::] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:2::1]
[2001:10::1] [2001:20::1] [2001:db8::1] [3fff::1] [100::1] [100:0:0:1::1] [5f00::1] [fc00::1] [fd00::1] [fd00:ec2::254]
[fd20:ce::254] [fdff:ffff::1] [fe80::1] [fe80::a9fe:a9fe] [febf::1] [fec0::1] [ff02::1] [ff0e::1] [4000::1] [1::1]
localhost LOCALHOST localhost. ｌｏｃａｌｈｏｓｔ foo.localhost localhost.localdomain.local printer.local db.internal
metadata.google.internal metadata.google.internal. instance-data metadata router.home.arpa intranet hidden.onion x.invalid x.test
gateway.example.com GATEWAY.example.com gateway.example.com.`
  .trim()
  .split(/\s+/);

describe('an address that a stranger chose', () => {
  it(`is refused in each of ${HOSTS.length} forms, with any scheme and port`, () => {
    expect(HOSTS.length).toBeGreaterThanOrEqual(150);
    const accepted = HOSTS.flatMap((host) =>
      [`http://${host}/`, `https://${host}:8443/x?y`, `HTTP://${host}`].filter(
        (address) => codeOf(address) !== 'upstream_blocked',
      ),
    );
    expect(accepted).toEqual([]);
  });

  it.each([
    'ftp://api.example.com/',
    'file:///etc/passwd',
    'gopher://api.example.com/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'ws://api.example.com/',
    'unix:/var/run/docker.sock',
    'https://user@api.example.com/',
    'https://:password@api.example.com/',
    'http:///',
    '//api.example.com/',
    'api.example.com',
    '',
    'https://api.example.com:0/',
    'https://api.example.com:65536/',
    'https://api.exam\nple.com/',
    'https://api.example.com/\u0000',
    '\u0001https://api.example.com/',
    'java\tscript:alert(1)',
    'https://api.example.com../',
    'https://.example.com/',
    'https://api..example.com/',
    'https://api.example.com%00.local/',
    'https://api!.example.com/',
    'https://[fe80::1%25eth0]/',
    'https://[2606:4700::1111%25eth0]/',
    `https://${'a'.repeat(64)}.example.com/`,
    `https://${'a.'.repeat(125)}example.com/`,
    `https://api.example.com/${'a'.repeat(2048)}`,
    'https:\\\\127.0.0.1\\',
    'http:127.0.0.1',
  ])('is refused as %j', (address) => {
    expect(codeOf(address)).toBe('upstream_blocked');
  });

  it.each([
    ['https://api.example.com/v1?x=1', 'https://api.example.com/v1?x=1'],
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
    ['https://[2606:4700::1111]/', 'https://[2606:4700::1111]/'],
    ['https://한국.example.kr/', 'https://xn--3e0b707e.example.kr/'],
    ['HTTPS://API.example.com', 'https://api.example.com/'],
    [' https://api.example.com ', 'https://api.example.com/'],
    ['https://api.example.com.:8443/', 'https://api.example.com:8443/'],
    ['https://my_api.example.com/', 'https://my_api.example.com/'],
  ])('is accepted as %s', (address, href) => {
    expect(codeOf(address)).toBe(href);
  });

  it('may be private for development, but never the gateway itself', () => {
    const policy = { ...POLICY, allowPrivate: true };
    expect(codeOf('http://127.0.0.1:9000/', policy)).toBe('http://127.0.0.1:9000/');
    expect(codeOf('http://gateway.example.com/', policy)).toBe('upstream_blocked');
    expect(codeOf('ftp://127.0.0.1/', policy)).toBe('upstream_blocked');
  });
});

const spell = (part: number, radix = 10): string =>
  ({ 8: '0', 10: '', 16: '0x' })[radix] + part.toString(radix);

describe('a public address', () => {
  const octet = fc.nat({ max: 255 });

  it('is never one of RFC 1918, of this machine or of the link', () => {
    const local = fc.oneof(
      fc.tuple(fc.constant(10), octet, octet, octet),
      fc.tuple(fc.constant(127), octet, octet, octet),
      fc.tuple(fc.constant(0), octet, octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
      fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
      fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
      fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
    );
    fc.assert(
      fc.property(local, (octets) => {
        const ipv4 = octets.join('.');
        const bytes = octets.map((value) => value.toString(16).padStart(2, '0'));
        const groups = `${bytes[0]}${bytes[1]}:${bytes[2]}${bytes[3]}`;
        const forms = [
          ipv4,
          `::ffff:${ipv4}`,
          `::ffff:${groups}`,
          `64:ff9b::${groups}`,
          `2002:${groups}::1`,
        ];
        for (const form of forms) expect([form, isPublicAddress(form)]).toEqual([form, false]);
      }),
    );
  });

  it('is never one of these, however a URL spells it', () => {
    const radix = fc.constantFrom(8, 10, 16);
    const last = fc.oneof(
      fc.integer({ min: 0x7f000000, max: 0x7fffffff }),
      fc.integer({ min: 0x0a000000, max: 0x0affffff }),
      fc.integer({ min: 0xc0a80000, max: 0xc0a8ffff }),
      fc.constant(0xa9fea9fe),
    );
    fc.assert(
      fc.property(
        last,
        fc.nat({ max: 3 }),
        fc.tuple(radix, radix, radix, radix),
        (ip, dots, radixes) => {
          const bits = 32 - 8 * dots;
          const parts = [24, 16, 8]
            .slice(0, dots)
            .map((shift) => Math.trunc(ip / 2 ** shift) % 256);
          const host = [...parts, ip % 2 ** bits]
            .map((part, n) => spell(part, radixes[n]))
            .join('.');
          expect([host, codeOf(`http://${host}/`)]).toEqual([host, 'upstream_blocked']);
        },
      ),
    );
  });

  it('is not any text that is no address', () => {
    fc.assert(fc.property(fc.string(), (text) => isPublicAddress(`${text} `) === false));
    for (const text of [
      '',
      '127.1',
      '0x8080808',
      '8.8.8.8.',
      'example.com',
      '8.8.8.8%eth0',
      '2606:4700::1111%eth0',
    ]) {
      expect(isPublicAddress(text)).toBe(false);
    }
  });

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '::ffff:8.8.8.8',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '2001:4860:4860::8888',
  ])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
