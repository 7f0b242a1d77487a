import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../../src/platform/kernel/shipped-files.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { runGatewayCommand } from '../support/gateway-process.ts';
import { freePort } from '../support/ports.ts';
import { runHere } from '../support/run-here.ts';
import type { Before, Entry, GatewayNeeds, HttpRequest } from './corpus-request.ts';
import { CORPUS_PRESETS, respondAsRequested } from './fixture.ts';
import {
  createNormalise,
  type Normalise,
  printRequest,
  printResponse,
  printText,
  quoteLines,
  readResponse,
  shorten,
} from './print.ts';

/** Noon of a Friday in Seoul: results that depend on the date are the same in every run. */
const BEGIN_MS = Date.parse('2026-11-20T12:00:00+09:00');

/** A response that does not end means that the entry is wrong. */
const MAX_WAIT_MS = 15_000;

/** Sends entries, one after another, to a new gateway. Resolves with what was sent and received. */
export async function play(entries: readonly Entry[], needs: GatewayNeeds): Promise<string> {
  const stage = await openStage(needs);
  try {
    let text = 'Written by npm run corpus:record.\n';
    for (const entry of entries) {
      await stage.prepare(entry.before ?? {});
      const printed = await playEntry(stage, entry).catch((cause: unknown) => {
        throw new Error(`The entry "${entry.title}" cannot be played.`, { cause });
      });
      text += `\n### ${entry.title}\n${printed.join('\n\n')}\n`;
    }
    return text;
  } finally {
    await stage.close();
  }
}

type Stage = Awaited<ReturnType<typeof openStage>>;

/** A gateway with a sandbox and an upstream. */
async function openStage({ env = {}, lacksSecrets }: GatewayNeeds) {
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
  return {
    port,
    /** Values of `{{name}}` in entries. */
    variables: new Map([['address', address], ...(await makeKeys(gateway, nowMs))]),
    places: [
      [new URL(address).host, '<gateway>'],
      [new URL(sandbox.url).host, '<sandbox>'],
      [new URL(upstream.url).host, '<upstream>'],
      [gateway.place.dataDir, '<directory>'],
      [process.execPath, '<node>'],
      [PACKAGE_ROOT, '<root>'],
    ] as const,
    prepare: async ({ fault, laterMs = 0, upstream: mood }: Before) => {
      nowMs += laterMs;
      if (fault) await gateway.fault(...fault);
      if (mood === 'well') upstream.answer(respondAsRequested);
      if (mood === 'failing') upstream.answer((_, response) => void response.writeHead(500).end());
    },
    close: gateway.close,
  };
}

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

async function playEntry(stage: Stage, entry: Entry): Promise<readonly string[]> {
  const normalise = createNormalise(stage.places);
  switch (entry.kind) {
    case 'request':
      return playRequest(stage, entry, normalise);
    case 'bytes':
      return playBytes(stage, entry, normalise);
    case 'stream':
      return playStream(stage, entry, normalise);
    case 'command':
      return playCommand(stage, entry, normalise);
  }
}

type Of<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

async function playRequest(stage: Stage, request: HttpRequest, normalise: Normalise) {
  const wire = openWire(stage, toBytes(request, stage));
  // The connection stays open after a stream has ended.
  await wire.until(() => wire.hasClosed() || wire.received().subarray(-5).equals(LAST_CHUNK));
  wire.close();
  learn(wire.received(), stage);
  return [printRequest(request), printResponse(wire.received(), normalise)];
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/** What is received is printed with its framing. */
async function playBytes(stage: Stage, { text }: Of<'bytes'>, normalise: Normalise) {
  const wire = openWire(stage, Buffer.from(fillIn(text, stage)));
  await wire.until(wire.hasClosed);
  const sent = shorten(text).replaceAll('\r\n', '\n').trimEnd();
  const received = wire.received().toString().replaceAll('\r\n', '\n');
  return [quoteLines(sent), printText(normalise(received))];
}

async function playStream(stage: Stage, entry: Of<'stream'>, normalise: Normalise) {
  const wire = openWire(stage, toBytes(entry, stage));
  let events = entry.events;
  /** A blank line ends each event. */
  const hasCome = (): boolean =>
    wire.received().includes('\r\n\r\n') &&
    readResponse(wire.received()).body.toString().split('\n\n').length > events;
  const exchanges: string[] = [];
  try {
    await wire.until(hasCome);
    for (const post of entry.posts) {
      learn(wire.received(), stage);
      exchanges.push(...(await playRequest(stage, post, normalise)));
      events += post.events;
      await wire.until(hasCome);
    }
  } finally {
    wire.close();
  }
  return [printRequest(entry), printResponse(wire.received(), normalise, true), ...exchanges];
}

async function playCommand(
  stage: Stage,
  { args, env = {}, input }: Of<'command'>,
  normalise: Normalise,
) {
  const settings = Object.entries(env);
  const filled = Object.fromEntries(settings.map(([name, value]) => [name, fillIn(value, stage)]));
  const { code, stdout, stderr } =
    input === undefined
      ? await runHere(args.join(' '), filled)
      : await runGatewayCommand(args, filled, input);
  return [
    `> ${settings.map(([name, value]) => `${name}=${value} `).join('')}tool-gateway ${args.join(' ')}`,
    ...(input ? [quoteLines(input.trimEnd())] : []),
    `exit code ${code}`,
    `standard output\n${printText(normalise(stdout))}`,
    `standard error\n${printText(normalise(stderr))}`,
  ];
}

/** Sends bytes on a new connection. */
function openWire({ port }: Stage, bytes: Buffer) {
  const chunks: Buffer[] = [];
  let hasClosed = false;
  const socket = connect(port, '127.0.0.1')
    .on('data', (chunk: Buffer) => void chunks.push(chunk))
    .on('error', () => undefined)
    .on('close', () => {
      hasClosed = true;
    });
  socket.write(bytes);
  return {
    /** Everything received so far. */
    received: () => Buffer.concat(chunks),
    hasClosed: () => hasClosed,
    until: async (condition: () => boolean) => {
      const endMs = performance.now() + MAX_WAIT_MS;
      while (!condition()) {
        if (performance.now() > endMs) throw new Error('Timed out while waiting for a response.');
        await sleep(1);
      }
    },
    close: () => socket.destroy(),
  };
}

/** A request as it is sent on the wire. */
function toBytes({ method, path, headers, body }: HttpRequest, stage: Stage): Buffer {
  const content = typeof body === 'string' ? Buffer.from(fillIn(body, stage)) : body;
  const length = content && { 'content-length': String(content.length) };
  const fields = { host: 'localhost', ...headers, ...length, connection: 'close' };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${fillIn(value, stage)}\r\n`],
  );
  const head = `${method} ${fillIn(path, stage)} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), content ?? Buffer.alloc(0)]);
}

const fillIn = (text: string, { variables }: Stage): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`No response has defined {{${name}}} yet.`);
    return value;
  });

const LEARNED = {
  etag: /^etag: (.+)\r$/im,
  auditId: /"auditId":"(aud_\w+)"/,
  nextCursor: /"nextCursor":"([\w-]+)"/,
  session: /sessionId=(sse_\w+)/,
};

/** Stores the values to which later entries may refer. */
function learn(received: Buffer, { variables }: Stage): void {
  for (const [name, pattern] of Object.entries(LEARNED)) {
    const value = pattern.exec(received.toString())?.[1];
    if (value !== undefined) variables.set(name, value);
  }
}
