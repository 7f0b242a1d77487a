import type { SimulatedFault } from './fault.ts';

/** The faults that are planned for the next responses. */
export interface FaultPlan {
  /** Injects a fault into the next `times` responses; `target` is a preset id or a tool name, undefined for all. */
  add(fault: SimulatedFault, target: string | undefined, times: number): void;
  /** Removes and returns the oldest fault for a response of this tool. */
  take(presetId: string, toolName: string): SimulatedFault | undefined;
  clear(): void;
}

export function createFaultPlan(): FaultPlan {
  let planned: { fault: SimulatedFault; target: string | undefined; left: number }[] = [];
  return {
    add(fault, target, times) {
      planned.push({ fault, target, left: times });
    },
    take(presetId, toolName) {
      const next = planned.find(
        ({ target }) => target === undefined || target === presetId || target === toolName,
      );
      if (!next) return undefined;
      next.left--;
      if (next.left === 0) planned = planned.filter((entry) => entry !== next);
      return next.fault;
    },
    clear() {
      planned = [];
    },
  };
}
