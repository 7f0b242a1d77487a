import { describe, expect, it } from 'vitest';
import { GatewayError } from '../kernel/error.ts';
import { type Circuit, createCircuit, type Verdict } from './circuit.ts';

function setUp(): {
  circuit: Circuit;
  end(...verdicts: Verdict[]): void;
  pass(ms: number): void;
  opened(): number;
} {
  let now = 1_000_000;
  let opened = 0;
  const circuit = createCircuit({ failures: 3, openMs: 10_000 }, { now: () => now }, () => {
    opened += 1;
  });
  return {
    circuit,
    end: (...verdicts) => {
      for (const verdict of verdicts) circuit.record(circuit.admit(), verdict);
    },
    pass: (ms) => {
      now += ms;
    },
    opened: () => opened,
  };
}

function refusal(circuit: Circuit): GatewayError {
  try {
    circuit.check();
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('The circuit admits calls.');
}

describe('a circuit', () => {
  it('opens after failures in a row, and says for how long', () => {
    const { circuit, end, pass, opened } = setUp();
    end('failure', 'failure', 'failure');
    expect(circuit.state()).toBe('open');
    expect(opened()).toBe(1);
    pass(2500);
    expect(refusal(circuit).code).toBe('upstream_circuit_open');
    expect(refusal(circuit).details).toEqual({ retryAfterSeconds: 8 });
  });

  it('starts counting again after a success, but not after what says nothing', () => {
    const { circuit, end } = setUp();
    end('failure', 'failure', 'success', 'failure', 'ignored', 'failure');
    expect(circuit.state()).toBe('closed');
    end('failure');
    expect(circuit.state()).toBe('open');
  });

  it('admits one probe when its time is over', () => {
    const { circuit, end, pass } = setUp();
    end('failure', 'failure', 'failure');
    pass(10_000);
    expect(circuit.state()).toBe('half_open');
    expect(circuit.admit()).toBe('probe');
    expect(refusal(circuit).details).toEqual({ retryAfterSeconds: 1 });
  });

  it('closes after a good probe', () => {
    const { circuit, end, pass } = setUp();
    end('failure', 'failure', 'failure');
    pass(10_000);
    end('success');
    expect(circuit.state()).toBe('closed');
    end('failure', 'failure');
    expect(circuit.state()).toBe('closed');
  });

  it('stays open for another while after a failed probe', () => {
    const { circuit, end, pass, opened } = setUp();
    end('failure', 'failure', 'failure');
    pass(10_000);
    end('failure');
    expect(circuit.state()).toBe('open');
    expect(opened()).toBe(2);
    pass(9999);
    expect(circuit.state()).toBe('open');
  });

  it('admits another probe after one whose caller went away', () => {
    const { circuit, end, pass } = setUp();
    end('failure', 'failure', 'failure');
    pass(10_000);
    end('ignored');
    expect(circuit.state()).toBe('half_open');
    expect(circuit.admit()).toBe('probe');
  });

  it('is not moved by calls that began before it opened', () => {
    const { circuit, end, pass } = setUp();
    const early = [circuit.admit(), circuit.admit()] as const;
    end('failure', 'failure', 'failure');
    pass(5000);
    circuit.record(early[0], 'success');
    circuit.record(early[1], 'failure');
    expect(circuit.state()).toBe('open');
    pass(5000);
    expect(circuit.state()).toBe('half_open');
  });

  it('does not stay open when the clock is set back', () => {
    const { circuit, end, pass } = setUp();
    end('failure', 'failure', 'failure');
    pass(-3_600_000);
    expect(circuit.state()).toBe('half_open');
  });
});
