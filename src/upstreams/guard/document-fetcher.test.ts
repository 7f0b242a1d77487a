import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { createByteBudget } from '../../platform/kernel/byte-budget.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import {
  type MisbehavingServer,
  startMisbehavingServer,
} from '../client/testing/misbehaving-server.ts';
import { failureOf } from '../client/testing/sending.ts';
import { createDocumentFetcher, type FetchOptions, redirectTarget } from './document-fetcher.ts';
import { createTestGuard, under, type Zone } from './testing/test-guard.ts';

const ZONE: Zone = { 'rebound.example.com': ['10.0.0.1'], 'unknown.example.com': [] };
const DOCUMENT = 'openapi: 3.1.0\n';
const MIB = 1024 * 1024;

let server: MisbehavingServer;
let other: MisbehavingServer;
let origin: string;
beforeEach(async () => {
  server = await startMisbehavingServer();
  other = await startMisbehavingServer();
  origin = under('docs.example.com', server);
  server.on('/openapi.yaml', (response) => {
    response.writeHead(200, { 'content-type': 'application/yaml' }).end(DOCUMENT);
  });
});
afterEach(() => Promise.all([server.close(), other.close()]));

function fetchDocument(address: string, options: Partial<FetchOptions> = {}) {
  const fetcher = createDocumentFetcher({ guard: createTestGuard(ZONE), hopMark: 'mark' });
  const memory = createByteBudget(64 * MIB).open('tenant');
  const deadline = Deadline.in(30_000);
  return fetcher.fetch(address, { tenantId: 'tenant', deadline, memory, ...options });
}

const redirect = (path: string, location: string) =>
  server.on(path, (response) => response.writeHead(302, { location }).end('moved'));

/** The code and message of a failed fetch. */
async function issueOf(address: string, options?: Partial<FetchOptions>): Promise<string> {
  const { code, message } = await failureOf(fetchDocument(address, options));
  return `${code}: ${message.replaceAll(/:\d{4,5}/g, '')}`;
}

describe('the fetcher of documents', () => {
  it('returns the bytes as sent, their media type and the final address', async () => {
    const { bytes, contentType, finalUrl } = await fetchDocument(`${origin}/openapi.yaml?v=1#top`);
    expect(bytes.toString()).toBe(DOCUMENT);
    expect(contentType).toBe('application/yaml');
    expect(finalUrl).toBe(`${origin}/openapi.yaml?v=1`);
    expect(server.seen[0]).toMatchObject({
      method: 'GET',
      url: '/openapi.yaml?v=1',
      headers: {
        'user-agent': 'tool-gateway',
        accept: expect.stringContaining('application/vnd.oai.openapi'),
        'x-tool-gateway-hop': 'mark',
      },
    });
  });

  it('follows three redirects, to other origins too', async () => {
    const elsewhere = under('cdn.example.com', other);
    redirect('/1', '/2');
    redirect('/2', `${origin}/3`);
    redirect('/3', `${elsewhere}/ok`);
    expect((await fetchDocument(`${origin}/1`)).finalUrl).toBe(`${elsewhere}/ok`);
    expect(other.seen[0]?.headers['referer']).toBeUndefined();
  });

  it('follows none where none is allowed', async () => {
    redirect('/1', '/openapi.yaml');
    const fetcher = createDocumentFetcher({
      guard: createTestGuard(ZONE),
      hopMark: 'mark',
      maxRedirects: 0,
    });
    const memory = createByteBudget(MIB).open('tenant');
    const options = { tenantId: 'tenant', deadline: Deadline.in(30_000), memory };
    const { code } = await failureOf(fetcher.fetch(`${origin}/1`, options));
    expect(code).toBe('invalid_request');
    expect(server.seen.map(({ url }) => url)).toEqual(['/1']);
  });

  it('stops at the fourth redirect', async () => {
    expect(await issueOf(`${origin}/redirect-loop`)).toBe(
      'invalid_request: docs.example.com redirects more than 3 times. Use the address that finally serves the document.',
    );
    expect(server.seen).toHaveLength(4);
  });

  it.each([
    ['file:///etc/passwd', 'must start with http:// or https://.'],
    ['http://user:pass@docs.example.com/', 'must not contain a user name or password'],
    ['http://[::1]:8080/', 'must be on the public internet.'],
    ['http://169.254.169.254/latest/meta-data', 'must be on the public internet.'],
    ['http://gateway.example.com/health', 'must not be an address of this gateway.'],
    ['http://localhost/', 'must be on the public internet.'],
  ])('neither fetches %s nor follows a redirect to it', async (address, reason) => {
    expect(await issueOf(address)).toContain(`upstream_blocked: The address ${reason}`);
    redirect('/away', address);
    expect(await issueOf(`${origin}/away`)).toContain(
      `upstream_blocked: docs.example.com redirects to an address that the gateway rejects. The address ${reason}`,
    );
  });

  it('blocks a redirect to a name that resolves to a private address, and does not name that address', async () => {
    redirect('/away', under('rebound.example.com', other));
    const issue = await issueOf(`${origin}/away`);
    expect(issue).toBe(
      'upstream_blocked: The document could not be fetched from rebound.example.com. The gateway does not connect to the address of this upstream: it must be on the public internet, and not the gateway itself.',
    );
    expect(other.connections()).toBe(0);
  });

  it('never falls back from https to http', () => {
    const from = new URL('https://docs.example.com/a');
    const guard = createTestGuard();
    expect(redirectTarget(guard, from, '//cdn.example.com/b').href).toBe(
      'https://cdn.example.com/b',
    );
    expect(() => redirectTarget(guard, from, 'http://docs.example.com/b')).toThrow('https:// too');
    expect(() => redirectTarget(guard, from, 'https://[')).toThrow('not a valid URL');
  });
});

describe('a document that cannot be fetched is reported', () => {
  it.each([
    ['/missing', 'invalid_request: docs.example.com responded with status 404 (not found). '],
    ['/500', 'upstream_unreachable: docs.example.com responded with status 500. Try again later.'],
    ['/304', 'invalid_request: docs.example.com responded with status 304 and no document.'],
    ['/redirect-nowhere', 'invalid_request: docs.example.com responded with status 302 and no'],
    ['/gzip-empty', 'invalid_request: docs.example.com responded with status 200 and no document.'],
    ['/gzip-lie', 'upstream_bad_payload: The document could not be fetched from docs.example.com.'],
    ['/not-http', 'upstream_bad_payload: The document could not be fetched from docs.example.com.'],
    ['/reset-at-once', 'upstream_unreachable: The document could not be fetched from docs.exampl'],
    ['/gzip-bomb', 'upstream_too_large: The document at docs.example.com is too large. The limit'],
    ['/announced-too-large', 'upstream_too_large: The document at docs.example.com is too large.'],
  ])('by host and reason: %s', async (path, issue) => {
    expect(await issueOf(origin + path)).toContain(issue);
  });

  it('without the rest of its address, which may hold a credential', async () => {
    expect(await issueOf(`${origin}/missing?token=s3cret`)).not.toContain('s3cret');
  });

  it('with the advice to make it public if it needs a credential', async () => {
    server.on('/private', (response) => response.writeHead(401).end());
    expect(await issueOf(`${origin}/private`)).toContain('send the text of the document');
  });

  it('with the reason if its host is unknown or refuses connections', async () => {
    expect(await issueOf('http://unknown.example.com/')).toContain(
      'The host name of the upstream is unknown.',
    );
    await server.close();
    expect(await issueOf(origin)).toContain('The upstream refused the connection.');
  });

  it('if it is larger than 20 MiB by default, or than the given limit', async () => {
    const large = Buffer.alloc(20 * MIB, 'openapi: 3.1.0 and more');
    server.on('/fits', (response) => response.end(large));
    server.on('/large', (response) => response.end(Buffer.concat([large, Buffer.from('x')])));
    expect((await fetchDocument(`${origin}/fits`)).bytes).toHaveLength(20 * MIB);
    expect(await issueOf(`${origin}/large`)).toContain('The limit is 20 MiB');
    expect(await issueOf(`${origin}/openapi.yaml`, { maxBytes: 10 })).toContain('10 bytes');
    const packed = gzipSync(Buffer.alloc(64 * 1024, 'openapi: 3.1.0 and more'));
    server.on('/packed', (response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    );
    expect(await issueOf(`${origin}/packed`, { maxBytes: 32 * 1024 })).toContain('too large');
  });

  it('if the memory budget has no room for it', async () => {
    const memory = createByteBudget(64 * 1024).open('tenant');
    server.on('/large', (response) => response.end(Buffer.alloc(MIB)));
    expect(await issueOf(`${origin}/large`, { memory })).toContain('overloaded');
  });

  it('at the deadline and when it is cancelled, without waiting for the server', async () => {
    const timeout = { deadline: Deadline.in(50) };
    expect(await issueOf(`${origin}/slow-headers`, timeout)).toContain('upstream_timeout');
    expect(await issueOf(`${origin}/slow-body`, { deadline: Deadline.in(50) })).toContain(
      'timeout',
    );
    const cancellation = new Cancellation();
    cancellation.cancel();
    expect(await issueOf(`${origin}/ok`, { cancellation })).toContain('cancelled');
  });
});

it('A fetch leaves no connection open and no memory taken', async () => {
  const budget = createByteBudget(64 * MIB);
  const memory = budget.open('tenant');
  server.on('/large', (response) => response.end(Buffer.alloc(MIB)));
  redirect('/moved', '/large');
  await fetchDocument(`${origin}/moved`, { memory });
  await failureOf(fetchDocument(`${origin}/gzip-bomb`, { memory }));
  expect(budget.stats().usedBytes).toBeLessThan(2 * MIB);
  memory.close();
  await until(() => server.openConnections() === 0);
});
