import { type Logger, pino } from 'pino';
import { prettyLine } from './pretty-lines.ts';

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
