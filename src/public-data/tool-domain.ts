import { isJsonPointer, parsePointer, valueAt } from '../platform/kernel/json-pointer.ts';
import type { ToolDomain } from '../tools/domain.ts';
import type { ChosenExtension, ProposalFamily } from '../tools/proposal.ts';
import { COMPUTED_DEFAULTS } from './computed-defaults.ts';
import { GRID_ALTERNATIVE } from './grid.ts';
import { portalPageOf, readPortalPage } from './proposals/portal-page.ts';
import { PORTAL_HOSTS, proposePortal } from './proposals/propose.ts';
import { type ResponseShape, shapeOfResponse } from './proposals/response-shape.ts';
import { SERVICE_KEY } from './service-key.ts';

/** The datasets of data.go.kr, and the descriptions that its page of a dataset contains or names. */
export const PORTAL_FAMILY: ProposalFamily = {
  name: 'data.go.kr',
  hosts: PORTAL_HOSTS,
  pageOf: portalPageOf,
  readPage: readPortalPage,
  propose: proposePortal,
  correct: correctPortal,
};

/** The additions of Korean public data to the compiler. */
export const PUBLIC_DATA_TOOLS: ToolDomain = {
  computedDefaults: COMPUTED_DEFAULTS,
  alternative: GRID_ALTERNATIVE,
  secretName: SERVICE_KEY,
  families: [PORTAL_FAMILY],
};

/** Replaces pointers that find nothing by the places where a response has rows, their number and its code. */
function correctPortal(
  response: unknown,
  extensions: readonly ChosenExtension[],
): readonly ChosenExtension[] {
  const shape = shapeOfResponse(response);
  return extensions.flatMap((given) => {
    const value = correctedValue(given, response, shape);
    return value === undefined ? [] : [{ ...given, value }];
  });
}

function correctedValue(
  { extension, value }: ChosenExtension,
  response: unknown,
  { rows, total, code, message }: ResponseShape,
): unknown {
  const foundAt = (pointer: unknown) =>
    isJsonPointer(pointer) ? valueAt(response, parsePointer(pointer)) : undefined;
  switch (extension) {
    case 'x-items': {
      const found = [foundAt(value) ?? []].flat();
      if (found.length > 0)
        return found.length === 1 ? rowsWithin(String(value), found[0]) : undefined;
      return rows && rows.at !== value ? rows.at : undefined;
    }
    case 'x-total':
      return total && isMissing(foundAt(value)) ? total.at : undefined;
    case 'x-success': {
      const rule = Object(value);
      if (!code || ![rule.code].flat().every((at) => isMissing(foundAt(at)))) return undefined;
      return { ...rule, code: code.at, ...(message && { message: message.at }) };
    }
    default:
      return undefined;
  }
}

const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === '';

/** Services send one list as `items` itself or as `item` within it: what looks like the only row then holds the rows. */
function rowsWithin(pointer: string, only: unknown): string | undefined {
  const { rows } = shapeOfResponse(only);
  return rows && /^\/item$/i.test(rows.at) ? `${pointer}${rows.at}` : undefined;
}
