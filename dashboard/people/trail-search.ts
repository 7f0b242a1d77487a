/** What the trail shows, in its address. */
export interface TrailSearch {
  readonly action?: string;
  /** The whole gateway, for operators; by default the tenant in use. */
  readonly scope?: 'all';
}

const MAX_ACTION = 100;

/** Members that do not exist are ignored. */
export const readTrailSearch = ({ action, scope }: Record<string, unknown>): TrailSearch => ({
  ...(typeof action === 'string' && action.length <= MAX_ACTION && { action }),
  ...(scope === 'all' && { scope }),
});
