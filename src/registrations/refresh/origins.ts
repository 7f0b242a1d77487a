import type { CompiledRegistration } from '../steps/registration-steps.ts';
import type { RegistrationRecord } from '../store/registration-record.ts';

/** The origins of the tools before and after, sorted (docs/contract.md#registration). */
export interface OriginChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The origins of all tools and of the base address. */
export const originsOf = ({ baseUrl, traits }: CompiledRegistration): readonly string[] =>
  [
    ...new Set([new URL(baseUrl).origin, ...Object.values(traits).map(({ origin }) => origin)]),
  ].toSorted();

/**
 * The origins that get the credential of a new version: those confirmed, or those that had it while the tools stay where
 * they are. Null if the tenant must confirm first.
 */
export function approveOrigins(
  { scheme, origins }: Pick<RegistrationRecord, 'scheme' | 'origins'>,
  baseUrl: string,
  { before, after }: OriginChange,
  confirmed: readonly string[],
): readonly string[] | null {
  const base = new URL(baseUrl).origin;
  if (after.every((origin) => confirmed.includes(origin))) return after;
  const isSame = before.length === after.length && before.every((each) => after.includes(each));
  // Also where the base address moves to an origin of one operation, which got no credential.
  if (isSame && origins.includes(base)) return origins;
  // What an API without a credential gets later is for its base address.
  return scheme.type === 'none' ? [base] : null;
}
