import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../platform/kernel/error.ts';
import {
  type CircuitState,
  type CircuitUser,
  createCircuit,
  createCircuitRecord,
  originState,
  type Verdict,
} from './circuit.ts';

function setUp({ failures = 3, openMs = 10_000 } = {}) {
  let now = 1_000_000;
  let opened = 0;
  let closed = 0;
  const circuit = createCircuit({ failures, openMs }, () => now, {
    onOpen: () => opened++,
    onClose: () => closed++,
  });
  const users: CircuitUser[] = [];

  function newTenant() {
    const record = createCircuitRecord();
    const tenant = {
      circuit: record,
      lastUsedMs: now,
      admit: () => {
        tenant.lastUsedMs = now;
        return circuit.admit(record);
      },
      end: (...verdicts: Verdict[]) => {
        for (const verdict of verdicts) circuit.record(record, tenant.admit(), verdict);
      },
      record: (verdict: Verdict) => circuit.record(record, 'regular', verdict),
      refusal: (): GatewayError => {
        try {
          circuit.check(record);
        } catch (error) {
          if (error instanceof GatewayError) return error;
        }
        throw new Error('The circuit admits calls.');
      },
      isRefused: () => {
        try {
          circuit.check(record);
          return false;
        } catch {
          return true;
        }
      },
    };
    users.push(tenant);
    return tenant;
  }

  return {
    newTenant,
    pass: (ms: number) => {
      now += ms;
    },
    state: (): CircuitState => originState(circuit, users),
    opened: () => opened,
    closed: () => closed,
  };
}

describe('a circuit with one tenant', () => {
  it('opens after consecutive failures, and reports when to retry', () => {
    const { newTenant, state, pass, opened } = setUp();
    const tenant = newTenant();
    tenant.end('failure', 'failure', 'failure');
    expect(state()).toBe('open');
    expect(opened()).toBe(1);
    pass(2500);
    expect(tenant.refusal().code).toBe('upstream_circuit_open');
    expect(tenant.refusal().details).toEqual({ retryAfterSeconds: 8 });
  });

  it('restarts the count after a success, but not after an ignored call', () => {
    const { newTenant, state } = setUp();
    const tenant = newTenant();
    tenant.end('failure', 'failure', 'success', 'failure', 'ignored', 'failure');
    expect(state()).toBe('closed');
    tenant.end('failure');
    expect(state()).toBe('open');
  });

  it('admits one probe after the open period', () => {
    const { newTenant, state, pass } = setUp();
    const tenant = newTenant();
    tenant.end('failure', 'failure', 'failure');
    pass(10_000);
    expect(state()).toBe('half_open');
    expect(tenant.admit()).toBe('probe');
    expect(tenant.refusal().details).toEqual({ retryAfterSeconds: 1 });
  });

  it('closes after a successful probe', () => {
    const { newTenant, state, pass, closed } = setUp();
    const tenant = newTenant();
    tenant.end('failure', 'failure', 'failure');
    pass(10_000);
    expect(closed()).toBe(0);
    tenant.end('success');
    expect(state()).toBe('closed');
    expect(closed()).toBe(1);
    tenant.end('failure', 'failure');
    expect(state()).toBe('closed');
  });

  it('stays open for another period after a failed probe', () => {
    const { newTenant, state, pass, opened } = setUp();
    const tenant = newTenant();
    tenant.end('failure', 'failure', 'failure');
    pass(10_000);
    tenant.end('failure');
    expect(state()).toBe('open');
    expect(opened()).toBe(1);
    pass(9999);
    expect(state()).toBe('open');
  });

  it('admits another probe after one whose caller disconnected', () => {
    const { newTenant, state, pass } = setUp();
    const tenant = newTenant();
    tenant.end('failure', 'failure', 'failure');
    pass(10_000);
    tenant.end('ignored');
    expect(state()).toBe('half_open');
    expect(tenant.admit()).toBe('probe');
  });

  it('ignores calls that were admitted before it opened', () => {
    const { newTenant, state, pass } = setUp();
    const tenant = newTenant();
    tenant.admit();
    tenant.admit();
    tenant.end('failure', 'failure', 'failure');
    pass(5000);
    tenant.record('success');
    tenant.record('failure');
    expect(state()).toBe('open');
    pass(5000);
    expect(state()).toBe('half_open');
  });
});

describe('a circuit with several tenants', () => {
  it('opens only for the tenant whose calls fail, however many fail', () => {
    const { newTenant, state, pass } = setUp();
    const [bad, good] = [newTenant(), newTenant()];
    good.end('success');
    for (let i = 0; i < 20; i++) {
      bad.end(...(i === 0 ? (['failure', 'failure', 'failure'] as const) : (['failure'] as const)));
      expect(bad.isRefused()).toBe(true);
      expect(good.admit()).toBe('regular');
      pass(10_000);
    }
    expect(state()).toBe('closed');
  });

  it('never opens for a tenant with only successes because of one other tenant', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            isBad: fc.boolean(),
            verdict: fc.constantFrom<Verdict>('failure', 'success', 'ignored'),
            passMs: fc.nat(12_000),
          }),
          { maxLength: 60 },
        ),
        (calls) => {
          const { newTenant, pass } = setUp({ failures: 3 });
          const [bad, good] = [newTenant(), newTenant()];
          for (const { isBad, verdict, passMs } of calls) {
            pass(passMs);
            if (!isBad) good.end('success');
            else if (!bad.isRefused()) bad.end(verdict);
            expect(good.isRefused()).toBe(false);
          }
        },
      ),
    );
  });

  it('reports the state for the tenants that used the origin recently', () => {
    const { newTenant, state, pass } = setUp();
    newTenant().end('success');
    pass(60_001);
    const bad = newTenant();
    bad.end('failure', 'failure', 'failure');
    expect(state()).toBe('open');
  });
});
