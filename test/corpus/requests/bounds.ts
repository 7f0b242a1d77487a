import { ACCEPTS_EVENTS, rpc, toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { type PostRow, posts, under } from './build.ts';

/** Bounds so small that one or two requests reach them. */
export const BOUNDS_ENV = {
  MAX_BODY_BYTES: '2048',
  MCP_CONTENT_MAX_CHARACTERS: '500',
  UPSTREAM_MAX_BYTES: '2048',
  UPSTREAM_TIMEOUT_MS: '1000',
};

const CONTENT = [['some rows', 'corpus_public', { kind: 'public-rows', _limit: 2 }]] as const;

const inBoth = (title: string, body: unknown): PostRow[] => [
  [`${title}, plain`, body],
  [`${title}, Streamable HTTP`, body, ACCEPTS_EVENTS],
];

const UPSTREAM = posts([
  ...inBoth('too large', toolCall('corpus_answer', { kind: 'large' })),
  ...inBoth('too late', toolCall('corpus_answer', { kind: 'never' })),
]);

const gone = toolCall('corpus_answer', { kind: 'gone' });

/** Five failures in a row. */
const CIRCUIT = posts([
  ...Array.from({ length: 5 }, (_, n): PostRow => [`failure ${n + 1}`, gone]),
  ...inBoth('open', gone),
]);

/** Requests that reach a bound. */
export const BOUNDS: readonly Entry[] = [
  ...under(
    'content',
    posts([
      ...CONTENT.map(
        ([title, tool, args]): PostRow => [title, toolCall(tool, args), ACCEPTS_EVENTS],
      ),
      ['cut', toolCall('corpus_answer', { kind: 'middling' }), ACCEPTS_EVENTS],
    ]),
  ),
  ...under(
    'body',
    posts([
      ['just fits', JSON.stringify(rpc('ping')).padEnd(2048)],
      ['too large', JSON.stringify(rpc('ping')).padEnd(2049)],
    ]),
  ),
  ...under('upstream', UPSTREAM),
  ...under('circuit', CIRCUIT),
];
