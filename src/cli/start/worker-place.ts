import { once } from 'node:events';

/** Which of the workers a process is. */
export interface WorkerPlace {
  readonly number: number;
  readonly total: number;
}

/** In place of a number: the supervisor gives the process its place later, once another one has ended. */
export const SPARE = 'spare';

/** Waits until the supervisor gives this process its place. The process ends with the supervisor. */
export async function untilPlaced(): Promise<WorkerPlace> {
  const end = (): never => process.exit(0);
  process.once('disconnect', end);
  const [place] = (await once(process, 'message')) as [WorkerPlace];
  process.off('disconnect', end);
  // What the lists of processes show.
  process.title = `tool-gateway start --worker ${place.number}/${place.total}`;
  return place;
}
