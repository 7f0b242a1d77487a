import { runWithInput } from './command-line.ts';
import type { Area, Entry, HttpRequest } from './corpus-request.ts';
import { type HttpResponse, headerOf, readResponses } from './http-response.ts';
import { createPlaceholders, type Placeholders } from './placeholders.ts';
import type { Transcript } from './recording.ts';
import { openStage, type Stage } from './stage.ts';
import { printRequest, printResponse, printText, quoteLines, shorten } from './transcript.ts';
import { openWire, type Wire } from './wire.ts';

/** Sends every entry of an area, one after another, to a new gateway. */
export async function playArea({ gateway, entries }: Area): Promise<Transcript[]> {
  const stage = await openStage(gateway);
  try {
    const transcripts: Transcript[] = [];
    for (const entry of entries) {
      transcripts.push({ title: entry.title, text: await playEntry(stage, entry) });
    }
    return transcripts;
  } finally {
    await stage.close();
  }
}

type Of<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

async function playEntry(stage: Stage, entry: Entry): Promise<string> {
  if (entry.before) await stage.prepare(entry.before);
  const placeholders = createPlaceholders(stage.places);
  try {
    switch (entry.kind) {
      case 'request':
        return await playRequest(stage, entry, placeholders);
      case 'bytes':
        return await playBytes(stage, entry, placeholders);
      case 'stream':
        return await playStream(stage, entry, placeholders);
      case 'command':
        return await playCommand(stage, entry, placeholders);
    }
  } catch (cause) {
    throw new Error(`The entry "${entry.title}" cannot be played.`, { cause });
  }
}

async function playRequest(
  stage: Stage,
  request: HttpRequest,
  { inResponse }: Placeholders,
): Promise<string> {
  const wire = openWire(stage.address, toBytes(request, stage));
  await wire.until(() => wire.hasClosed() || hasEnded(wire));
  wire.close();
  const responses = readResponses(wire.received(), request.method === 'HEAD');
  for (const response of responses) learn(response, stage);
  const printed = responses.map((response) => printResponse(inResponse(response)));
  return [printRequest(request), ...printed].join('\n\n');
}

/** The connection stays open after a stream has ended. */
const hasEnded = (wire: Wire): boolean => wire.received().subarray(-5).equals(LAST_CHUNK);

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

async function playBytes(
  stage: Stage,
  { text }: Of<'bytes'>,
  { inResponse }: Placeholders,
): Promise<string> {
  const wire = openWire(stage.address, Buffer.from(fillIn(text, stage)));
  await wire.until(wire.hasClosed);
  const responses = readResponses(wire.received());
  const sent = quoteLines(shorten(text).replaceAll('\r\n', '\n').trimEnd(), '> ');
  return [sent, ...responses.map((response) => printResponse(inResponse(response)))].join('\n\n');
}

async function playStream(
  stage: Stage,
  entry: Of<'stream'>,
  placeholders: Placeholders,
): Promise<string> {
  const wire = openWire(stage.address, toBytes(entry, stage));
  const stream = (): HttpResponse | undefined => readResponses(wire.received())[0];
  let events = entry.events;
  const hasCome = (): boolean => wire.received().includes('\r\n\r\n') && count(stream()) >= events;
  const exchanges: string[] = [];
  try {
    await wire.until(hasCome);
    for (const post of entry.posts) {
      const opened = stream();
      if (opened) learn(opened, stage);
      exchanges.push(await playRequest(stage, post, placeholders));
      events += post.events;
      await wire.until(hasCome);
    }
  } finally {
    wire.close();
  }
  const whole = stream();
  const printed = whole ? printResponse(placeholders.inResponse(whole), true) : '';
  return [printRequest(entry), printed, ...exchanges].join('\n\n');
}

/** A blank line ends each event. */
const count = (stream: HttpResponse | undefined): number =>
  (stream?.body.toString().split('\n\n').length ?? 1) - 1;

async function playCommand(
  stage: Stage,
  { args, env = {}, input }: Of<'command'>,
  { inText }: Placeholders,
): Promise<string> {
  const filled = Object.entries(env).map(([name, value]) => [name, fillIn(value, stage)]);
  const line = { args, env: Object.fromEntries(filled) };
  const { code, stdout, stderr } =
    input === undefined ? await stage.commands.run(line) : await runWithInput(line, input);
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value} `);
  return [
    `> ${settings.join('')}tool-gateway ${args.join(' ')}`,
    ...(input ? [quoteLines(input.trimEnd(), '> ')] : []),
    `exit code ${code}`,
    `standard output\n${printText(inText(stdout))}`,
    `standard error\n${printText(inText(stderr))}`,
  ].join('\n\n');
}

/** A request as it is sent on the wire. */
function toBytes({ method, path, headers, body }: HttpRequest, stage: Stage): Buffer {
  const content = typeof body === 'string' ? Buffer.from(fillIn(body, stage)) : body;
  const fields = { host: 'localhost', ...headers, ...lengthOf(content), connection: 'close' };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${fillIn(value, stage)}\r\n`],
  );
  const head = `${method} ${fillIn(path, stage)} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), content ?? Buffer.alloc(0)]);
}

const lengthOf = (content: Buffer | undefined): Record<string, string> =>
  content === undefined ? {} : { 'content-length': String(content.length) };

const fillIn = (text: string, { variables }: Stage): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`No response has defined {{${name}}} yet.`);
    return value;
  });

const LEARNED = {
  auditId: /"auditId":"(aud_\w+)"/,
  nextCursor: /"nextCursor":"([\w-]+)"/,
  session: /sessionId=(sse_\w+)/,
};

/** Stores the values to which later entries of the area may refer. */
function learn(response: HttpResponse, { variables }: Stage): void {
  const etag = headerOf(response, 'etag');
  if (etag !== undefined) variables.set('etag', etag);
  const text = response.body.toString();
  for (const [name, pattern] of Object.entries(LEARNED)) {
    const value = pattern.exec(text)?.[1];
    if (value !== undefined) variables.set(name, value);
  }
}
