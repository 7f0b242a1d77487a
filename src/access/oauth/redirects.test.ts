import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRedirect, describeRedirect, isRegistered } from './redirects.ts';

describe('addresses that clients register', () => {
  it.each([
    'https://claude.ai/api/mcp/auth_callback',
    'https://host.example',
    'https://host.example:8443/cb?a=1&b=%20',
    'http://127.0.0.1/',
    'http://127.0.0.1:33418/',
    'http://localhost:7777/oauth/callback',
    'http://[::1]:1/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/oauth',
    'vscode://ms-vscode.vscode-mcp/callback',
    'vscode-insiders://ms-vscode.vscode-mcp/callback',
    'windsurf://callback',
    'mshost://callback',
  ])('takes %s', (text) => {
    expect(checkRedirect(text)).toBe(text);
  });

  it.each([
    '',
    'cb',
    '/cb',
    '//evil.example/cb',
    'https:/host.example/cb',
    'https:host.example/cb',
    'http://host.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://0.0.0.0/cb',
    'http://2130706433/cb',
    'http://0x7f.1/cb',
    'https://user@host.example/cb',
    'https://user:pass@host.example/cb',
    'https://host.example\\@evil.example/cb',
    'https://host.example/cb#fragment',
    'https://host.example/cb#',
    'https://host.example/a/../cb',
    'https://HOST.example/cb',
    'https://host.example:443/cb',
    'https://host。example/cb',
    'https://host.example/ cb',
    'https://host.example/cb\n',
    'https://host.example/<cb>',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://host.example/1',
    'about:blank',
    'intent://x@y',
    'app://user@host/cb',
    ...[
      'ms-msdt:/id',
      'MS-Settings:privacy',
      'ms-officecmd:x',
      'search-ms:query=x',
      'shell:startup',
    ],
    ...[
      'microsoft-edge:https://evil.example',
      'jar:https://evil.example!/x',
      'ldap://evil.example/x',
    ],
    ...[
      'search:query=x',
      'x-apple.systempreferences:x',
      'itms-services://x',
      'help:x',
      'smb://x/y',
    ],
    ...[
      'ssh://host/x',
      'telnet://host',
      'mailto:a',
      'tel:1',
      'chrome-extension://x/y',
      'android-app://x',
    ],
  ])('refuses %j', (text) => {
    expect(() => checkRedirect(text)).toThrow('A redirect address is https');
  });

  it('never takes an address that leads elsewhere than it reads', () => {
    const part = fc.constantFrom(
      ...['https://', 'http://', 'app://', 'a.example', 'evil.example', '127.0.0.1', 'localhost'],
      ...['@', '\\', '/', '//', '#', '?', ':', '%2f', '..', '.', '\t', ' ', '443', '[::1]', 'x'],
    );
    const text = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (address) => {
        try {
          checkRedirect(address);
        } catch {
          return;
        }
        const { protocol, host, username, hash } = new URL(address);
        expect([username, hash]).toEqual(['', '']);
        if (protocol === 'https:') expect(address.split(/[/?]/)[2]).toBe(host);
      }),
    );
  });
});

describe('addresses of a request', () => {
  it('may have any port on this machine, and nothing else that differs', () => {
    const registered = ['http://127.0.0.1/cb', 'https://host.example/cb', 'app:/cb'];
    for (const given of ['http://127.0.0.1:1/cb', 'http://127.0.0.1:65535/cb', ...registered]) {
      expect([given, isRegistered(registered, given)]).toEqual([given, true]);
    }
    for (const given of [
      'http://127.0.0.1:1/cb/',
      'http://127.0.0.1:1/cb?x=1',
      'http://localhost:1/cb',
      'http://127.0.0.1:1@evil.example/cb',
      'http://127.0.0.1:65536/cb',
      'http://127.0.0.1:99999/cb',
      'http://127.0.0.1:99999999/cb',
      'https://host.example:8443/cb',
      'https://host.example/cb/',
      'app:/cb2',
    ]) {
      expect([given, isRegistered(registered, given)]).toEqual([given, false]);
    }
  });
});

it.each([
  ['http://localhost:1/cb', 'localhost:1', 'loopback'],
  ['cursor://a/cb', 'cursor:', 'app'],
  ['https://claude.ai/cb', 'claude.ai', 'known'],
  ['https://claude.ai.evil.example/cb', 'claude.ai.evil.example', 'unknown'],
  ['https://xn--claud-9fb.ai/cb', 'xn--claud-9fb.ai', 'unknown'],
])('people see where %s leads', (text, host, kind) => {
  expect(describeRedirect(text)).toEqual({ host, kind });
});
