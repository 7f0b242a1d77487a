import type { Job } from './queries.ts';

/** The tools of a report, by their names in the description. */
export const toolsOf = ({ report }: Pick<Job, 'report'>): readonly string[] =>
  (report?.operations ?? []).flatMap(({ tool }) => tool ?? []);
