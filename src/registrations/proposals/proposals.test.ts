import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeStores } from '../../../test/support/databases.ts';
import {
  openRegistrationPlace,
  type RegistrationPlace,
} from '../../../test/support/registrations.ts';
import { testProposal } from '../../dialects/json-rpc/test-proposal.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { createRecompilations } from '../refresh/recompilations.ts';
import { decodeRegistration } from '../request/decode-registration.ts';
import { createDescriptionCompiler } from '../steps/description-compiler.ts';
import { MAX_WAITING_SEARCHES, PROPOSAL_MS } from '../store/registration-bounds.ts';
import {
  createFindDocument,
  createProposals,
  type Proposals,
  type ProposalsDeps,
} from './proposals.ts';

const URLS = { allowPrivate: false, ownHosts: new Set<string>() };
const PAGE = 'https://www.data.go.kr/data/15000001/openapi.do';
const DESCRIPTION = 'https://infuser.odcloud.kr/oas/docs?namespace=15000001/v1';

const operation = (name: string) => ({
  [`/${name}`]: {
    get: { operationId: name, responses: { 200: { description: '' } }, parameters: [] },
  },
});
const documentOf = (operations = 1): string =>
  JSON.stringify({
    swagger: '2.0',
    info: { title: 'Things', version: '1' },
    host: 'apis.data.go.kr/1',
    paths: Object.assign({}, ...Array.from({ length: operations }, (_, at) => operation(`o${at}`))),
  });
const pageOf = (script: string): string => `<html><script>${script}</script></html>`;
const leadingTo = (url: string): string => pageOf(`var swaggerUrl = '${url}';`);

describeStores('proposals', (backend) => {
  const compiler = createDescriptionCompiler({
    script: new URL('../../compose/description-worker.ts', import.meta.url),
    domain: PUBLIC_DATA_TOOLS,
    urls: URLS,
    maxHeapMib: 512,
  });
  afterAll(() => compiler.close());

  let here: RegistrationPlace;
  let pages: Record<string, string> = {};
  let proposals: Proposals;
  const asked: string[] = [];
  const fetchDocument = async (url: string): Promise<Uint8Array> => {
    asked.push(url);
    const page = pages[url];
    return page === undefined ? new Promise(() => undefined) : Buffer.from(page);
  };
  const { families } = PUBLIC_DATA_TOOLS;

  beforeAll(async () => {
    here = await openRegistrationPlace(backend);
  });
  const create = (more: Partial<ProposalsDeps> = {}): Proposals =>
    createProposals({
      ...here.deps,
      families,
      compiler,
      fetchDocument,
      connect: () => expect.unreachable('Nothing is called.'),
      inTurn: createRecompilations({ maxWaiting: MAX_WAITING_SEARCHES }).run,
      countTest: async () => undefined,
      ...more,
    });
  beforeEach(() => {
    asked.length = 0;
    proposals = create();
  });
  const tenant = () => ({ tenantId: here.ours, tenantSlug: 'ours' });
  const propose = (text: string) => proposals.create(tenant(), { text });

  it('finds a description by the number of its dataset, through the page', async () => {
    pages = { [PAGE]: leadingTo(DESCRIPTION), [DESCRIPTION]: documentOf() };
    const found = await propose('15000001');
    expect(asked).toEqual([PAGE, DESCRIPTION]);
    expect(found).toMatchObject({
      dataset: { id: '15000001', url: PAGE },
      description: { url: PAGE, isAvailable: true },
      operations: [{ operation: 'GET /o0' }],
    });
    expect(await proposals.get(tenant(), found.id)).toEqual(found);
  });

  it('follows a page once, and finds the description again for a refresh', async () => {
    pages = {
      [PAGE]: leadingTo(DESCRIPTION),
      [DESCRIPTION]: pageOf(`var swaggerUrl = '${PAGE}' // data.go.kr`),
    };
    await expect(propose(PAGE)).rejects.toMatchObject({ code: 'unprocessable' });
    expect(asked).toEqual([PAGE, DESCRIPTION]);
    const find = createFindDocument({ families, compiler, fetchDocument });
    const limits = {
      deadline: Deadline.in(60_000),
      signal: new AbortController().signal,
      tenantId: here.ours,
    };
    pages = { [PAGE]: leadingTo(DESCRIPTION), [DESCRIPTION]: documentOf() };
    expect(Buffer.from(await find(PAGE, limits)).toString()).toBe(documentOf());
    pages = { [PAGE]: pageOf('') };
    await expect(find(PAGE, limits)).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('no OpenAPI description'),
    });
  });

  it('runs the searches of a tenant one after another, and lets a few wait', async () => {
    const { promise: page, resolve: answer } = Promise.withResolvers<Uint8Array>();
    const slow = create({ fetchDocument: () => page });
    const searches = Array.from({ length: MAX_WAITING_SEARCHES + 1 }, () =>
      slow.create(tenant(), { text: PAGE }),
    );
    await expect(slow.create(tenant(), { text: PAGE })).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('wait for a description to be read'),
    });
    answer(Buffer.from(documentOf()));
    expect(new Set((await Promise.all(searches)).map(({ id }) => id)).size).toBe(searches.length);
  });

  it('says of a search for which the earlier ones left no time that it waited', async () => {
    pages = {};
    const hasty = create({ searchMs: 100 });
    const [first, second] = await Promise.allSettled([
      hasty.create(tenant(), { text: PAGE }),
      hasty.create(tenant(), { text: PAGE }),
    ]);
    expect(first).toMatchObject({ reason: { code: 'upstream_timeout' } });
    expect(second).toMatchObject({
      reason: { code: 'rate_limited', message: expect.stringContaining('earlier searches') },
    });
  });

  it('refuses an address that must not be called as a mistake of the request', async () => {
    const blocked = new GatewayError('upstream_blocked', 'It is the gateway itself.');
    const search = create({ fetchDocument: () => Promise.reject(blocked) });
    await expect(search.create(tenant(), { text: PAGE })).rejects.toMatchObject({
      code: 'invalid_request',
      message: blocked.message,
    });
  });

  it.each(['hello', '- a', '{"a":1}', '{"swaggerVersion":"1.2"}'])(
    'refuses what is no description: %s',
    async (text) => {
      const sent = proposals.create(tenant(), { document: Buffer.from(text) });
      await expect(sent).rejects.toMatchObject({
        code: 'unprocessable',
        message: expect.stringContaining('This is no API description'),
      });
    },
  );

  it('ends a search that takes too long', async () => {
    pages = {};
    const hasty = create({ searchMs: 20 }).create(tenant(), { text: PAGE });
    await expect(hasty).rejects.toMatchObject({ code: 'upstream_timeout' });
  });

  it('reads pages and operations up to a bound', async () => {
    const large = `<html>data.go.kr${' '.repeat(4 * 1024 * 1024)}</html>`;
    const send = (text: string) => proposals.create(tenant(), { document: Buffer.from(text) });
    await expect(send(large)).rejects.toMatchObject({ message: 'The page is too large.' });
    expect((await send(documentOf(201))).operations).toHaveLength(200);
  });

  it('refuses a description with more to propose than it stores, and reads one that contains itself', async () => {
    const send = (document: object) =>
      proposals.create(tenant(), { document: Buffer.from(JSON.stringify(document)) });
    const parameters = Array.from({ length: 300 }, (_, at) => ({
      name: `day${at}`,
      in: 'query',
      type: 'string',
      description: `YYYYMMDD ${'x'.repeat(150)}`,
    }));
    const operation = { parameters, responses: {} };
    const paths = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`/o${at}`, { get: operation }]),
    );
    const portal = { swagger: '2.0', info: { title: 'A' }, host: 'apis.data.go.kr' };
    await expect(send({ ...portal, paths })).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('too many operations'),
    });
    const self = { $ref: '#/definitions/Self' };
    const properties = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`p${at}`, self]));
    const get = {
      parameters: [{ $ref: '#/%zz' }],
      responses: { 200: { description: 'All.', schema: self } },
    };
    const definitions = { Self: { type: 'object', properties } };
    const read = await send({ ...portal, definitions, paths: { '/a': { get } } });
    expect(read.operations).toHaveLength(1);
  });

  it('keeps what two tests confirm at the same time', async () => {
    const { id, proposals: proposed } = await proposals.create(tenant(), {
      document: Buffer.from(documentOf(2)),
    });
    const operations = ['GET /o0', 'GET /o1'];
    expect(proposed.some(({ confidence }) => confidence === 'medium')).toBe(true);
    await Promise.all(
      operations.map((operation) =>
        proposals.confirm(
          tenant(),
          id,
          operation,
          proposed.filter((each) => each.operation === operation),
        ),
      ),
    );
    const kept = await proposals.get(tenant(), id);
    expect(kept.proposals.filter(({ confidence }) => confidence !== 'high')).toEqual([]);
  });

  it('expires after an hour', async () => {
    const { id } = await proposals.create(tenant(), { document: Buffer.from(documentOf()) });
    const now = here.deps.clock.now();
    const later = create({ clock: { now: () => now + PROPOSAL_MS + 1 } });
    await expect(later.get(tenant(), id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('refuses more extensions than a registration may have', () => {
  const extension = { operation: 'GET /a', extension: 'x-exclude', value: true };
  const decode = (count: number) =>
    decodeRegistration(
      { name: 'A', spec_raw: 'x', extensions: Array.from({ length: count }, () => extension) },
      { maxDocumentBytes: 1000, urls: URLS },
    );
  expect(decode(2000).options.extensions).toHaveLength(2000);
  expect(() => decode(2001)).toThrow('/extensions');
});

it('shows five rows of a test, and corrects nothing by a long response', async () => {
  const entry = {
    tool: { inputSchema: { properties: {} }, payload: { items: '/rows' }, name: 'a' },
  } as unknown as CatalogEntry;
  let corrected = 0;
  const run = (kind: string, rows: readonly object[]) =>
    testProposal(
      {
        prepare: async () => ({ entry, extensions: [] }),
        prepareAgain: () => Promise.reject(new Error('Nothing is corrected.')),
        correctionsOf: async () => {
          corrected++;
          return [];
        },
        confirm: async () => undefined,
      },
      { tenantId: 'ten_1', tenantSlug: 'one' },
      {
        id: 'prp_1',
        operation: 'GET /a',
        arguments: {},
        baseUrl: null,
        extensions: undefined,
        authentication: { scheme: { type: 'none' }, credentials: {} },
      },
      async () =>
        ({
          entry,
          kind,
          cause: null,
          auditId: 'aud_1',
          rows: { total: null },
          response: { json: Buffer.from(JSON.stringify({ rows })), status: 200 },
        }) as never,
    );
  const rows = Array.from({ length: 7 }, (_, at) => ({ at }));
  expect((await run('ok', rows)).rows).toEqual(rows.slice(0, 5));
  expect(corrected).toBe(1);
  await run('no_data', [{ long: 'x'.repeat(300_000) }]);
  expect(corrected).toBe(1);
});
