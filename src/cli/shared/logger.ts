import { stripVTControlCharacters, styleText } from 'node:util';
import { type Logger, pino } from 'pino';
import type { Settings } from '../../platform/config/settings.ts';
import { isInternal } from '../../platform/kernel/error.ts';
import { commit, VERSION } from '../../platform/kernel/version.ts';

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

type LogSettings = Pick<Settings, 'LOG_LEVEL'> & Partial<Pick<Settings, 'LOG_FORMAT'>>;

/** The log of a start, whose first line says which version runs. */
export function openLog(settings: LogSettings): Logger {
  const logger = createLogger(settings);
  logger.info({ version: VERSION, commit: commit() }, 'the gateway is starting');
  return logger;
}

/**
 * Writes log lines to standard error: to a terminal for people, elsewhere as JSON unless LOG_FORMAT says otherwise. Members that can contain a credential are replaced before a line
 * is written.
 */
export const createLogger = ({ LOG_LEVEL, LOG_FORMAT }: LogSettings): Logger =>
  pino(
    {
      level: LOG_LEVEL,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: serializeError },
      redact: {
        paths: CREDENTIALS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
    },
    (LOG_FORMAT ?? (process.stderr.isTTY ? 'pretty' : 'json')) === 'pretty'
      ? PRETTY
      : pino.destination({ dest: 2, sync: false }),
  );

const serializeError = (error: Error): unknown =>
  pino.stdSerializers.err(isInternal(error) ? new Error('a fault of the gateway', error) : error);

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
