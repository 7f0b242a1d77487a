import type { Cause } from '../../platform/kernel/cause.ts';
import type { SuccessRule } from '../../tools/model.ts';
import type { PayloadDomain } from './payload-domain.ts';

/** What is known of a response that has failed or holds no data. */
export interface Refusal {
  readonly status: number;
  readonly isPublicData: boolean;
  /** Its result code. */
  readonly code?: string | undefined;
  /** The plain text that it consists of instead of a payload. */
  readonly text?: string | undefined;
}

/** Why a response failed; undefined if neither its code nor its status says so. */
export type CauseOfRefusal = (refusal: Refusal) => Cause | undefined;

/** Prepares the search for causes: what the preset knows of the code, then the domain, then the status. */
export function createCauseOfRefusal(
  { causes }: Pick<SuccessRule, 'causes'>,
  domain: Pick<PayloadDomain, 'causeOf' | 'causeOfStatus'>,
): CauseOfRefusal {
  const known = new Map(Object.entries(causes));
  return ({ status, isPublicData, code, text }) => {
    const word = code ?? text;
    if (word !== undefined) {
      const meant = known.get(word) ?? (isPublicData ? domain.causeOf(word) : undefined);
      if (meant) return meant;
    }
    if (code !== undefined) return causeOfStatus(status);
    const bare = known.get(`HTTP ${status}`);
    return (
      bare ?? (isPublicData ? domain.causeOfStatus(status) : undefined) ?? causeOfStatus(status)
    );
  };
}

/** The cause of a failure of which only the status is known; undefined below 400. */
function causeOfStatus(status: number): Cause | undefined {
  if (status === 429) return 'rate';
  if (status === 401 || status === 403) return 'operator_key';
  if (status >= 500) return 'upstream';
  return status >= 400 ? 'arguments' : undefined;
}
