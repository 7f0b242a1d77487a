import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { type CommandLines, createCommandLines, ROOT } from './command-line.ts';
import type { Before, GatewayNeeds } from './corpus-request.ts';
import { CORPUS_PRESETS, respondAsRequested } from './fixture.ts';
import type { Places } from './placeholders.ts';

/** Noon of a Friday in Seoul: results that depend on the date are the same in every run. */
const BEGIN_MS = Date.parse('2026-11-20T12:00:00+09:00');

/** A gateway for one area, with a sandbox and an upstream. */
export interface Stage {
  /** The address on which it listens. */
  readonly address: string;
  /** Values of `{{name}}` in entries. */
  readonly variables: Map<string, string>;
  readonly places: Places;
  readonly commands: CommandLines;
  prepare(before: Before): Promise<void>;
  close(): Promise<void>;
}

export async function openStage({ env = {}, lacksSecrets }: GatewayNeeds): Promise<Stage> {
  let nowMs = BEGIN_MS;
  const port = await freePort();
  const gateway = await startTestGateway({
    presets: CORPUS_PRESETS,
    clock: { now: () => nowMs },
    ...(lacksSecrets ? { secrets: () => undefined } : {}),
    env: { PORT: String(port), RATE_LIMIT_PER_MINUTE: '0', SHUTDOWN_GRACE_MS: '0', ...env },
  });
  const { upstream, sandbox } = gateway;
  upstream.answer(respondAsRequested);
  const address = `http://127.0.0.1:${port}`;
  const commands = createCommandLines();
  const variables = new Map([['address', address], ...(await makeKeys(gateway, nowMs))]);
  return {
    address,
    variables,
    commands,
    places: [
      [hostOf(address), '<gateway>'],
      [hostOf(sandbox.url), '<sandbox>'],
      [hostOf(upstream.url), '<upstream>'],
      [gateway.place.dataDir, '<directory>'],
      [process.execPath, '<node>'],
      [ROOT, '<root>'],
    ],
    prepare: async ({ fault, laterMs = 0, upstream: mood }) => {
      nowMs += laterMs;
      if (fault) await gateway.fault(...fault);
      if (mood === 'well') upstream.answer(respondAsRequested);
      if (mood === 'failing') upstream.answer((_, response) => void response.writeHead(500).end());
    },
    close: async () => {
      commands.close();
      await gateway.close();
    },
  };
}

const hostOf = (address: string): string => new URL(address).host;

/** A key of every kind, by the name used in entries. */
async function makeKeys(gateway: TestGateway, nowMs: number): Promise<[string, string][]> {
  const other = await gateway.createKey('other');
  const narrow = await gateway.createKey('default', { allowedTools: ['corpus_*', 'kma_*'] });
  const expired = await gateway.createKey('default', { expiresAtMs: nowMs - 1000 });
  const revoked = await gateway.createKey('default');
  await gateway.revokeKey(revoked.id);
  return [
    ['key', gateway.key],
    ['otherKey', other.key],
    ['narrowKey', narrow.key],
    ['expiredKey', expired.key],
    ['revokedKey', revoked.key],
  ];
}
