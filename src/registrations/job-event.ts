import type { JobView } from './registration-views.ts';

/** Bytes of the report and of the tool ids in an event, each in JSON. Beyond it, the status of the job has them. */
const MAX_PART_BYTES = 64 * 1024;

/** The data of the event `byoapi` (docs/contract.md#server-sent-events). */
export function jobEventOf(view: JobView) {
  const { jobId, status, report, toolIds } = view;
  return { jobId, status, job: { ...view, report: ifSmall(report), toolIds: ifSmall(toolIds) } };
}

const ifSmall = <T>(value: T): T | null =>
  Buffer.byteLength(JSON.stringify(value)) > MAX_PART_BYTES ? null : value;
