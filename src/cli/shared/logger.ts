import { type Logger, pino } from 'pino';

/**
 * Structured log lines on standard error, so that standard output stays for people. Whatever a line carries,
 * members that can hold a credential are replaced before it is written.
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
