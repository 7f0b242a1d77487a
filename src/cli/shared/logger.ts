import { stripVTControlCharacters, styleText } from 'node:util';
import { type Logger, pino } from 'pino';

const LEVELS: Readonly<Record<number, string>> = {
  10: styleText('dim', 'trace'),
  20: styleText('dim', 'debug'),
  30: styleText('green', 'info '),
  40: styleText('yellow', 'warn '),
  50: styleText('red', 'error'),
  60: styleText('red', 'fatal'),
};

/** A log line for people: time, level, message, and the other members after it. Foreign text cannot control the terminal. */
export function prettyLine(json: string): string {
  const { level, time, msg = '', err, ...members }: Record<string, unknown> = JSON.parse(json);
  const at = styleText('dim', String(time).slice(11, 23));
  const label = LEVELS[Number(level)] ?? String(level);
  const rest = Object.entries(members).map(([name, value]) => `${name}=${textOf(value)}`);
  const head = [at, label, clean(String(msg)), ...(rest.length > 0 ? [clean(rest.join(' '))] : [])];
  return `${head.join(' ')}\n${err === undefined ? '' : indented(err)}`;
}

const textOf = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value);

/** An error, with the lines of its stack. */
function indented(err: unknown): string {
  const { stack } = err as { stack?: unknown };
  const text = typeof stack === 'string' ? stack : JSON.stringify(err);
  return `${text
    .split('\n')
    .map((line) => `    ${clean(line)}`)
    .join('\n')}\n`;
}

const clean = (text: string): string => stripVTControlCharacters(text).replaceAll(/\p{Cc}/gu, ' ');

/**
 * Writes log lines to standard error, by default as JSON. Members that can contain a credential are replaced before a line
 * is written.
 */
export const createLogger = (level: string, format: 'json' | 'pretty' = 'json'): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: CREDENTIALS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
    },
    format === 'pretty' ? PRETTY : pino.destination({ dest: 2, sync: false }),
  );

const PRETTY = { write: (line: string) => void process.stderr.write(prettyLine(line)) };

const CREDENTIALS = [
  'authorization',
  '["x-api-key"]',
  'cookie',
  'password',
  'token',
  'secret',
  'apiKey',
  'serviceKey',
  'connectionString',
];
