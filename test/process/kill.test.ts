import { describe, expect, onTestFinished, test } from 'vitest';
import { TEST_BACKENDS } from '../support/databases.ts';
import { killRun } from '../support/kill-run.ts';

describe.each(TEST_BACKENDS)('a gateway killed under load ($name)', ({ makePlace }) => {
  test('has a record of every answered call after a restart', async () => {
    const { dataDir, databaseUrl, remove } = await makePlace();
    onTestFinished(remove);
    const result = await killRun({
      dataDir,
      databaseUrl: databaseUrl?.reveal(),
      callers: 32,
      loadMs: 500,
    });
    expect(result).toMatchObject({ lost: [], damage: [], tampering: '' });
  });
});
