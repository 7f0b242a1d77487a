import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { FEW_PRESETS } from '../support/few-presets.ts';
import { startPortal } from '../support/portal.ts';
import { createTenantKeys, portalSettings, useUpDay } from '../support/quota-run.ts';
import { canHaveReplicas, startReplicas } from '../support/replicas.ts';
import { temporaryDir } from './temporary.ts';

const CALLS_PER_DAY = 100;
const TENANTS = 5;
const SHARE = CALLS_PER_DAY / TENANTS;
/** What the greedy tenant may have had before those others were known. */
const LOST = 2;

describe.runIf(canHaveReplicas)('the quota of a provider', () => {
  test('is never overshot, and is shared, though a process is killed', async () => {
    const portal = await startPortal({
      callsPerDay: CALLS_PER_DAY,
      latencyMs: 10,
      countedParameter: 'tenant',
    });
    onTestFinished(() => portal.close());
    const replicas = await startReplicas({
      ...(await portalSettings(await temporaryDir(), portal, CALLS_PER_DAY)),
      PRESETS_DIR: FEW_PRESETS,
    });
    onTestFinished(() => replicas.close());
    const databaseUrl = new Secret(replicas.env['DATABASE_URL'] ?? '');
    const keys = await createTenantKeys({ dataDir: '', databaseUrl }, TENANTS);
    const { gateways } = replicas;
    const { sent, refused, others } = await useUpDay({
      gateways,
      portal,
      keys,
      killAfter: CALLS_PER_DAY / 2,
    });
    expect(sent).toBeLessThanOrEqual(CALLS_PER_DAY);
    expect(refused).toBe(0);
    expect(sent).toBeGreaterThanOrEqual(0.85 * CALLS_PER_DAY);
    expect(others[0]).toBeGreaterThanOrEqual(SHARE - LOST);
  });
});
