import type { SimulatedFault } from './fault.ts';

/** The faults that await the next answers. */
export interface FaultPlan {
  /** Lets the next `times` answers fail; `target` is a preset id or a tool name, undefined for all. */
  add(fault: SimulatedFault, target: string | undefined, times: number): void;
  /** The fault for an answer of this tool, oldest first; it counts as used. */
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
