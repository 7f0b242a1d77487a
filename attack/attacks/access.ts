import { setTimeout as sleep } from 'node:timers/promises';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import {
  type AdminClient,
  createAdminClient,
  inviteAndJoin,
  signIn,
} from '../../test/support/admin-client.ts';
import type { JsonResponse } from '../../test/support/gateway.ts';
import { runGatewayCommand } from '../../test/support/gateway-process.ts';
import { type Arena, MEMORY_BYTES, MIB, openArena } from '../arena.ts';
import { type Attack, type StorageAttack, type Verdict, verdict, waitUntil } from '../attack.ts';
import { createSockets, rawRequest } from '../sockets.ts';

/** How long a refusal may take. */
const REFUSAL_MS = 15_000;

async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${url}/api/v1/tools?limit=1`, { headers });
  await response.arrayBuffer();
  return response.status;
}

/** Signs in as an admin of the attacking tenant. Returns what asks the dashboard for a new key. */
async function attackersDashboard({ url, settings }: Arena) {
  const email = 'admin@attacker.example';
  const { stdout } = await runGatewayCommand(
    ['people', 'create', email, '--tenant', 'attacker', '--role', 'admin'],
    settings,
  );
  const post = (path: string, body: object, cookie = '') =>
    fetch(`${url}/admin/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, cookie },
      body: JSON.stringify(body),
    });
  const session = await post('/session', { email, password: stdout.trim() });
  const cookie = session.headers
    .getSetCookie()
    .map((value) => value.split(';')[0])
    .join('; ');
  return async (rateLimitPerMinute: number) => {
    const key = { name: 'x', rateLimitPerMinute };
    const response = await post('/tenants/attacker/keys', key, cookie);
    return { status: response.status, body: (await response.json()) as { text: string } };
  };
}

export const accessAttacks: readonly Attack[] = [
  {
    name: 'a client claims to be 198.51.100.7 (X-Forwarded-For)',
    bound: 'its audit record contains the address that it connected from',
    run: async (arena) => {
      await fetch(`${arena.url}/mcp`, {
        method: 'POST',
        headers: {
          'x-api-key': arena.attackerKey,
          'content-type': 'application/json',
          'x-forwarded-for': '198.51.100.7, not an address',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"arena_rows","arguments":{"n":4711}}}',
      });
      const { text } = await arena.get('/api/v1/audit?tool=arena_rows&limit=1');
      const ip = JSON.parse(text).records[0]?.clientIp;
      return verdict(ip === '127.0.0.1', String(ip));
    },
  },
  {
    name: 'malformed and ambiguous HTTP requests',
    bound: 'each gets 4xx or a closed connection, and none is processed',
    run: async (arena) => {
      const sockets = createSockets(arena.port);
      const key = `x-api-key: ${arena.attackerKey}\r\n`;
      const host = 'host: 127.0.0.1\r\n';
      const forms = [
        `GET /api/v1/tools HTTP/1.1\r\n${host}${host}${key}\r\n`,
        `GET /api/v1/tools HTTP/1.1\r\n${host}authorization: Bearer a\r\nauthorization: Bearer ${arena.attackerKey}\r\n\r\n`,
        `GET /api/v1/tools\r\n\r\n`,
        `POST /mcp HTTP/1.0\r\n${host}${key}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
        `POST /mcp HTTP/1.1\r\n${host}${key}content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}`,
        `POST /mcp HTTP/1.1\r\n${host}content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n`,
        `POST /mcp HTTP/1.1\r\n${host}${key}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
        `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03`,
      ];
      const opened = forms.map((form) => sockets.open(form, { read: true }));
      await sleep(1500);
      await waitUntil(
        () => opened.every(({ text, isClosed }) => text() !== '' || isClosed()),
        REFUSAL_MS,
      );
      const wrong = opened.filter(({ text, isClosed }) => {
        const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text())?.[1] ?? 0);
        const isRefused = status >= 400 && status < 500;
        return !(isRefused || (status === 0 && isClosed())) || text().includes(' 100 ');
      });
      sockets.closeAll();
      return verdict(
        wrong.length === 0,
        `${forms.length - wrong.length} of ${forms.length} refused`,
      );
    },
  },
];

/** No limit refuses what a flood sends. */
const UNLIMITED = { RATE_LIMIT_PER_MINUTE: '0' };

const BOSS = { email: 'boss@example.com', password: 'a password for attacks' };

/** Starts a gateway with an operator, for attacks on the dashboard. */
async function withOperator(
  attack: (arena: Arena, operator: AdminClient) => Promise<Verdict>,
  env: Readonly<Record<string, string>> = {},
): Promise<Verdict> {
  const boss = { ADMIN_EMAIL: BOSS.email, ADMIN_PASSWORD: BOSS.password };
  const arena = await openArena({ victimPerSecond: 1, env: { ...boss, ...env } });
  try {
    return await attack(arena, await signIn(arena, BOSS));
  } finally {
    await arena.close();
  }
}

/** Repeats a request, at the rate that the gateway allows, until it is refused for another reason. */
async function repeatUntilRefused(ask: () => Promise<JsonResponse>): Promise<JsonResponse> {
  for (;;) {
    const response = await ask();
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    if (response.status >= 400 && (response.status !== 429 || seconds > 60)) return response;
    if (response.status === 429) await sleep(seconds * 1000);
  }
}

/** These need different settings. */
export const limitAttacks: readonly StorageAttack[] = [
  {
    name: 'a stolen session spends the changes and the requests of its owner',
    bound: 'the owner ends it and changes the password all the same',
    run: () =>
      withOperator(async (arena, thief) => {
        const owner = await signIn(arena, BOSS);
        const refused = await repeatUntilRefused(() => thief.ask('PATCH /me', { name: 'Robbed' }));
        const flood = { isOver: false };
        const flooding = Array.from({ length: 8 }, async () => {
          while (!flood.isOver) await thief.ask('GET /me');
        });
        await waitUntil(async () => (await thief.ask('GET /me')).status === 429, REFUSAL_MS);
        const next = 'another password for attacks';
        const changed = await owner.ask('POST /me/password', {
          currentPassword: BOSS.password,
          newPassword: next,
        });
        await signIn(arena, { ...BOSS, password: next });
        const { body } = await owner.ask('DELETE /me/sessions');
        flood.isOver = true;
        await Promise.all(flooding);
        const after = await thief.ask('GET /me');
        const held =
          refused.status === 429 &&
          changed.status === 204 &&
          body.ended === 1 &&
          after.status === 401;
        return verdict(
          held,
          `changes ${refused.status}, password ${changed.status}, ended ${body.ended}, thief ${after.status}`,
        );
      }),
  },
  {
    name: 'the admin of a tenant joins with the address of another person',
    bound: 'its link gets nothing of an existing account, and an operator frees the address',
    run: () =>
      withOperator(async (arena, operator) => {
        const adminOf = async (tenant: string) => {
          await operator.ask('POST /tenants', { slug: tenant, name: tenant });
          const invited = { tenant, email: `${tenant}@example.com`, role: 'admin' } as const;
          return inviteAndJoin(arena, operator, invited);
        };
        const join = async (by: AdminClient, tenant: string, email: string, password: string) => {
          const body = { email, role: 'admin' };
          const { link } = (await by.ask(`POST /tenants/${tenant}/invitations`, body)).body;
          const client = createAdminClient(arena);
          const joining = { token: new URL(link).searchParams.get('token'), password };
          return { client, status: (await client.ask('POST /join', joining)).status };
        };
        const [hostile, honest] = [await adminOf('hostile'), await adminOf('honest')];
        const [unproved, squatted] = ['member@example.com', 'owner@example.com'];
        const [own, theirs] = ['the password of the owner', 'the password of an attacker'];
        const member = await join(honest, 'honest', unproved, own);
        const taken = [unproved, 'honest@example.com'].map((email) =>
          join(hostile, 'hostile', email, theirs).then(({ status }) => status),
        );
        const refused = await Promise.all(taken);
        const kept = await member.client.ask('GET /tenants/honest/members');
        const squatter = await join(hostile, 'hostile', squatted, theirs);
        const owner = await join(operator, 'honest', squatted, own);
        const seen = await squatter.client.ask('GET /tenants/honest/members');
        const held =
          refused.join() === '401,401' &&
          [member, squatter, owner, kept].every(({ status }) => status === 200) &&
          seen.status === 401;
        return verdict(
          held,
          `taken ${refused.join(', ')}, member ${kept.status}, owner of a squatted address ${owner.status}, squatter then ${seen.status}`,
        );
      }),
  },
  {
    name: '100 requests without a key, then 40 bad keys, from one address',
    bound: 'a good key from there is still accepted; further bad ones get 429',
    run: async () => {
      const arena = await openArena({
        victimPerSecond: 1,
        env: { AUTH_FAILURES_PER_MINUTE: '30' },
      });
      try {
        const bare = new Set<number>();
        for (let n = 0; n < 100; n++) bare.add(await statusOf(arena.url, {}));
        const bad: number[] = [];
        for (let n = 0; n < 40; n++) {
          bad.push(await statusOf(arena.url, { 'x-api-key': newApiKeyText() }));
        }
        const good = await statusOf(arena.url, { 'x-api-key': arena.attackerKey });
        const held =
          [...bare].join() === '401' && bad[0] === 401 && bad.at(-1) === 429 && good === 200;
        return verdict(held, `no key ${[...bare]}, bad ${bad[0]} to ${bad.at(-1)}, good ${good}`);
      } finally {
        await arena.close();
      }
    },
  },
  {
    name: '20,000 calls of unknown tools, no two with one name, and 2,000 wrong keys',
    bound:
      'counted by key, reason and address; no name is shown again, and memory stays under 512 MB',
    run: () =>
      withOperator(async (arena, operator) => {
        const send = async (path: string, key: string, body?: unknown) => {
          const headers = { 'x-api-key': key, 'content-type': 'application/json' };
          const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
          await (await fetch(`${arena.url}${path}`, { headers, ...sent })).arrayBuffer();
        };
        const callOf = (n: number) => ({
          ...{ jsonrpc: '2.0', id: n, method: 'tools/call' },
          params: { name: `unheard_of_${n}_${'x'.repeat(200)}`, arguments: {} },
        });
        for (let n = 0; n < 20_000; n += 50) {
          const batch = Array.from({ length: 50 }, (_, at) => callOf(n + at));
          await send('/mcp', arena.attackerKey, batch);
        }
        for (let n = 0; n < 2000; n++) await send('/api/v1/tools', newApiKeyText());
        const ask = async () => (await operator.ask('GET /statistics/refusals')).body;
        await waitUntil(async () => (await ask()).refusals.total >= 20_000, REFUSAL_MS);
        const found = await ask();
        const peak = arena.peakRssBytes();
        const held =
          found.refusals.total === 20_000 &&
          found.wrongKeys.total === 2000 &&
          !JSON.stringify(found).includes('unheard_of') &&
          peak < MEMORY_BYTES;
        const counted = `${found.refusals.total} calls and ${found.wrongKeys.total} keys counted`;
        return verdict(held, `${counted}, at most ${Math.round(peak / MIB)} MB`);
      }, UNLIMITED),
  },
  {
    name: 'a tenant with 50 keys, whose admin asks for 1,000,000 requests a minute',
    bound:
      'the admin is refused, 300 of 2,500 requests pass in a minute, and every call of another tenant',
    run: async () => {
      const arena = await openArena({ victimPerSecond: 0.4, env: { RATE_LIMIT_PER_MINUTE: '30' } });
      try {
        const askForKey = await attackersDashboard(arena);
        const { status: greedy } = await askForKey(1_000_000);
        const keys = [arena.attackerKey];
        while (keys.length < 50) keys.push((await askForKey(30)).body.text);
        await arena.victimTally();
        const statuses: number[] = [];
        const startedMs = performance.now();
        await Promise.all(
          keys.map(async (key) => {
            const headers = { 'x-api-key': key };
            for (let n = 0; n < 50; n++) statuses.push(await statusOf(arena.url, headers));
          }),
        );
        const windows = 1 + Math.floor((performance.now() - startedMs) / 60_000);
        let [served, failed] = [0, 0];
        await waitUntil(async () => {
          const { auditIds, failures } = await arena.victimTally();
          served += auditIds.length;
          failed += failures.length;
          return served + failed > 0;
        }, REFUSAL_MS);
        const passed = statuses.filter((status) => status === 200).length;
        const refused = statuses.filter((status) => status === 429).length;
        const held =
          greedy === 400 &&
          passed >= 300 &&
          passed <= 300 * windows &&
          passed + refused === statuses.length &&
          failed === 0 &&
          served > 0;
        return verdict(
          held,
          `admin ${greedy}; ${passed} passed, ${refused} refused; victim: ${served} served, ${failed} refused`,
        );
      } finally {
        await arena.close();
      }
    },
  },
  {
    name: 'bodies of 1 MB beyond an exhausted rate limit',
    bound: '429 with Retry-After before the body is read, in every dialect',
    run: async () => {
      const arena = await openArena({ victimPerSecond: 1, env: { RATE_LIMIT_PER_MINUTE: '100' } });
      const sockets = createSockets(arena.port);
      try {
        for (let n = 0; n < 101; n++) await statusOf(arena.url, { 'x-api-key': arena.attackerKey });
        const dialects = [
          {},
          { accept: 'text/event-stream' },
          { 'mcp-protocol-version': '2026-07-28' },
        ];
        const opened = dialects.map((headers) =>
          sockets.open(
            rawRequest('POST /mcp', {
              ...headers,
              'x-api-key': arena.attackerKey,
              'content-type': 'application/json',
              'content-length': '1000000',
            }),
            { read: true },
          ),
        );
        await waitUntil(() => opened.every(({ text }) => text().includes('\r\n\r\n')), REFUSAL_MS);
        const heads = opened.map(({ text }) => text().split('\r\n\r\n')[0] ?? '');
        const held = heads.every((head) => / 429 /.test(head) && /retry-after/i.test(head));
        return verdict(held, heads.map((head) => head.split(' ')[1] ?? 'nothing').join(', '));
      } finally {
        sockets.closeAll();
        await arena.close();
      }
    },
  },
];
