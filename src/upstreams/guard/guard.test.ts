import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from './check-url.ts';
import {
  createDnsResolve,
  createFairResolve,
  createGuardedConnector,
  createGuardedLookup,
  type Resolve,
} from './guard.ts';

/** A resolver whose look-ups end when the test decides. */
function slowResolve() {
  const names: string[] = [];
  const ends: (() => void)[] = [];
  const resolve = createFairResolve((hostname) => {
    names.push(hostname);
    return new Promise((done) => ends.push(() => done(['192.0.2.1'])));
  });
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { names, resolve, end: endAll };
}

const overloaded = expect.objectContaining({ code: 'overloaded' });

it('A name is resolved once for all concurrent requests, and again after that', async () => {
  const { names, resolve, end } = slowResolve();
  const both = [resolve('a.example', 'one'), resolve('a.example', 'two')];
  end();
  expect(await Promise.all(both)).toEqual([['192.0.2.1'], ['192.0.2.1']]);
  const again = resolve('a.example', 'one');
  end();
  await again;
  expect(names).toEqual(['a.example', 'a.example']);
});

it('A tenant may have 32 names resolved at the same time; other tenants are not affected', async () => {
  const { resolve, end } = slowResolve();
  const pending = Array.from({ length: 32 }, (_, n) => resolve(`${n}.example`, 'slow'));
  await expect(resolve('99.example', 'slow')).rejects.toEqual(overloaded);
  pending.push(resolve('99.example', 'other'), resolve('0.example', 'slow'));
  end();
  await Promise.all(pending);
  const next = resolve('99.example', 'slow');
  end();
  await next;
});

it('All tenants together may have 512 names resolved at the same time', async () => {
  const { resolve, end } = slowResolve();
  const pending = Array.from({ length: 512 }, (_, n) =>
    resolve(`${n}.example`, `tenant-${n % 32}`),
  );
  await expect(resolve('999.example', 'other')).rejects.toEqual(overloaded);
  end();
  await Promise.all(pending);
});

it('A failed look-up is not remembered, even if the resolver throws', async () => {
  let tries = 0;
  const resolve = createFairResolve(() => {
    tries++;
    throw new Error('invalid name');
  });
  for (let n = 0; n < 20; n++) await expect(resolve('a.example', 'one')).rejects.toThrow('invalid');
  expect(tries).toBe(20);
});

describe('the connector', () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  let port = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address ? address.port : 0;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  function connect(
    hostname: string,
    resolve: Resolve,
    mayConnect: (address: string) => boolean = isPublicAddress,
  ): Promise<string> {
    const connector = createGuardedConnector(resolve, mayConnect);
    const target = { hostname, protocol: 'http:', port: String(port), host: `${hostname}:${port}` };
    return new Promise((done) => {
      connector(target, (error, socket) => {
        socket?.destroy();
        done(error ? String('code' in error ? error.code : error) : 'connected');
      });
    });
  }

  const resolveTo =
    (...addresses: string[]): Resolve =>
    () =>
      Promise.resolve(addresses);

  describe('the guarded connector', () => {
    it.each(['127.0.0.1', '::1', '[::1]', '::ffff:127.0.0.1', '0.0.0.0', '169.254.169.254'])(
      'refuses %s before it connects',
      async (hostname) => {
        connections = 0;
        expect(await connect(hostname, resolveTo('8.8.8.8'))).toBe('upstream_blocked');
        expect(connections).toBe(0);
      },
    );

    it.each([
      ['a private address', ['127.0.0.1']],
      ['a private address beside public ones', ['8.8.8.8', '127.0.0.1', '2606:4700::1111']],
      ['a mapped address', ['::ffff:127.0.0.1']],
      ['a metadata service', ['169.254.169.254']],
      ['a text that is no address', ['127.1']],
    ])('refuses a name that resolves to %s', async (_, addresses) => {
      connections = 0;
      expect(await connect('rebind.example', resolveTo(...addresses))).toBe('upstream_blocked');
      expect(connections).toBe(0);
    });

    it('fails where the name has no address', async () => {
      const resolve = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
      expect(await connect('nowhere.example', resolve)).toBe('ENOTFOUND');
    });

    it.each([
      ['ENOTFOUND', 'ENOTFOUND'],
      ['ENODATA', 'ENOTFOUND'],
      ['EBADNAME', 'ENOTFOUND'],
      ['ESERVFAIL', 'EAI_AGAIN'],
      ['ETIMEOUT', 'EAI_AGAIN'],
      ['EREFUSED', 'EAI_AGAIN'],
    ])('reports the DNS error %s as %s', async (code, reported) => {
      const resolve = () => Promise.reject(Object.assign(new Error('x'), { code }));
      expect(await connect('nowhere.example', resolve)).toBe(reported);
    });

    it('bounds the time of a look-up and its connection together', async () => {
      const never = () => new Promise<never>(() => undefined);
      expect(await connect('slow.example', never)).toBe('UND_ERR_CONNECT_TIMEOUT');
    });

    it('fails where the response holds no address', async () => {
      expect(await connect('empty.example', resolveTo())).toBe('ENOTFOUND');
    });

    it('checks every address of a long response, and tries eight of each family', async () => {
      const many = Array.from({ length: 1000 }, (_, n) => `8.8.${n >> 8}.${n & 255}`);
      expect(await connect('many.example', resolveTo(...many, '127.0.0.1'))).toBe(
        'upstream_blocked',
      );
      const checked = await addressesOf(resolveTo(...many, '2606:4700::1111'));
      expect(checked).toEqual([...many.slice(0, 8), '2606:4700::1111']);
    });

    it('closes a connection whose peer is not allowed', async () => {
      connections = 0;
      const asked: string[] = [];
      const onlyFirst = (address: string) => asked.push(address) === 1;
      expect(await connect('late.example', resolveTo('127.0.0.1'), onlyFirst)).toBe(
        'upstream_blocked',
      );
      expect(asked).toEqual(['127.0.0.1', '127.0.0.1']);
    });
  });

  /** The addresses that a connection would try. */
  function addressesOf(resolve: Resolve): Promise<string[]> {
    const lookup = createGuardedLookup(resolve, isPublicAddress);
    return new Promise((done) => {
      lookup('any.example', { all: true }, (_error, found) =>
        done(Array.isArray(found) ? found.map(({ address }) => address) : []),
      );
    });
  }

  it('names of the hosts file are not resolved', async () => {
    await expect(createDnsResolve()('localhost.')).rejects.toThrow();
  });
});
