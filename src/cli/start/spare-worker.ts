import { once } from 'node:events';
import type { WorkerPlace } from '../../compose/options.ts';

/** Which of the workers a process is. */
export type WorkerNumber = Pick<WorkerPlace, 'number' | 'total'>;

/** In place of a number: the supervisor gives the process one once a worker has ended. */
export const SPARE = 'spare';

/** Waits until the supervisor gives this process a number. The process ends with the supervisor. */
export async function untilNumbered(): Promise<WorkerNumber> {
  const end = (): never => process.exit(0);
  process.once('disconnect', end);
  const [worker] = (await once(process, 'message')) as [WorkerNumber];
  process.off('disconnect', end);
  // What the lists of processes show.
  process.title = `tool-gateway start --worker ${worker.number}/${worker.total}`;
  return worker;
}
