import type { WorkerPlace } from '../../compose/options.ts';
import type { Gateway } from '../../compose/start-gateway.ts';
import type { FiguresQuery } from '../../dialects/rest/process-figures.ts';
import { createChannel } from './channel.ts';
import type { BannerFacts } from './start-banner.ts';

/** Longer than the supervisor waits for the others. */
const OTHERS_MS = 700;

type OthersFigures = Awaited<ReturnType<WorkerPlace['othersFigures']>>;

/** Connects this worker to the supervisor that started it. */
export function linkToSupervisor(own: Omit<WorkerPlace, 'othersFigures'>) {
  let gateway: Gateway | undefined;
  const { tell, ask } = createChannel(process, {
    metrics: () => gateway?.metrics(),
    figures: (query) => gateway?.figures(query as FiguresQuery),
  });
  const place: WorkerPlace = {
    ...own,
    othersFigures: async (query) =>
      ((await ask('othersFigures', query, OTHERS_MS)) ?? new Map()) as OthersFigures,
  };
  return {
    place,
    /** Resolves when the supervisor has ended. */
    lost: new Promise<void>((resolve) => {
      if (process.connected) process.once('disconnect', resolve);
      else resolve();
    }),
    ready: (running: Gateway, facts: BannerFacts): void => {
      gateway = running;
      tell('ready', facts);
    },
    /** Lets the process end. */
    close: (): void => {
      if (process.connected) process.disconnect?.();
    },
  };
}
