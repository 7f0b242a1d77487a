import type { ChosenExtension, ProposalFamily } from '../../tools/proposal.ts';
import { portalPageOf, readPortalPage } from './portal-page.ts';
import { proposePortal } from './propose.ts';
import { shapeOfResponse } from './response-shape.ts';

/** The datasets of data.go.kr, and the descriptions that its page of a dataset contains or names. */
export const PORTAL_FAMILY: ProposalFamily = {
  name: 'data.go.kr',
  pageOf: portalPageOf,
  readPage: readPortalPage,
  propose: proposePortal,
  correct: correctPortal,
};

/** Replaces pointers that find nothing by the places where a response has rows, their number and its code. */
function correctPortal(
  response: unknown,
  extensions: readonly ChosenExtension[],
): readonly ChosenExtension[] {
  const shape = shapeOfResponse(response);
  return extensions.flatMap((given) => {
    const value = correctedValue(given, shape);
    return value === undefined ? [] : [{ ...given, value }];
  });
}

function correctedValue(
  { extension, value }: ChosenExtension,
  { rows, total, code, message }: ReturnType<typeof shapeOfResponse>,
): unknown {
  switch (extension) {
    case 'x-items':
      return rows && rows.at !== value ? rows.at : undefined;
    case 'x-total':
      return total && total.at !== value ? total.at : undefined;
    case 'x-success': {
      const rule = Object(value);
      if (!code || [rule.code].flat().includes(code.at)) return undefined;
      return { ...rule, code: code.at, ...(message && { message: message.at }) };
    }
    default:
      return undefined;
  }
}
