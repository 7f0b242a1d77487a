import { type Logger, pino } from 'pino';

/**
 * Writes structured log lines to standard error; standard output is for people. Members that can contain a credential
 * are replaced before a line is written.
 */
export const createLogger = (level: string): Logger =>
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
    pino.destination({ dest: 2, sync: false }),
  );

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
