import type { ToolDomain } from '../tools/domain.ts';
import { COMPUTED_DEFAULTS } from './computed-defaults.ts';
import { GRID_ALTERNATIVE } from './grid.ts';
import { PORTAL_FAMILY } from './proposals/portal-family.ts';
import { SERVICE_KEY } from './service-key.ts';

/** The additions of Korean public data to the compiler. */
export const PUBLIC_DATA_TOOLS: ToolDomain = {
  computedDefaults: COMPUTED_DEFAULTS,
  alternative: GRID_ALTERNATIVE,
  secretName: SERVICE_KEY,
  families: [PORTAL_FAMILY],
};
