import { expect, test } from 'vitest';
import { describeSettings } from './describe-settings.ts';
import { readSettings } from './settings.ts';

test('describes settings that differ from their defaults, but never the value of a secret or personal data', () => {
  const settings = readSettings({
    DATABASE_URL: 'postgres://u:hunter2@db/x',
    ADMIN_PASSWORD: 'hunter2',
    ADMIN_EMAIL: 'hunter2@example.com',
    ENCRYPTION_KEY: Buffer.alloc(32, 'hunter2').toString('base64'),
    TRUST_PROXY: '1',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2',
  });
  const described = describeSettings(settings);
  expect(described).toEqual({
    DATABASE_URL: 'set',
    ADMIN_PASSWORD: 'set',
    ADMIN_EMAIL: 'set',
    ENCRYPTION_KEY: 'set',
    TRUST_PROXY: { hops: 1 },
    OTEL_EXPORTER_OTLP_HEADERS: 'set',
  });
  expect(JSON.stringify(described)).not.toContain('hunter2');
  expect(JSON.stringify(described)).not.toContain(settings.ENCRYPTION_KEY?.reveal());
});
