import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { invalidArguments } from '../../platform/kernel/invalid-arguments.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { type DecodeLimits, readOrigins, readSource } from './decode-registration.ts';
import { readFields } from './field-reader.ts';
import type { DescriptionSource } from './registration-request.ts';

/** A valid request to refresh a registration (docs/contract.md#registration). */
export interface RefreshRequest {
  /** Null = the description is fetched again from its address. */
  readonly source: DescriptionSource | null;
  readonly isDryRun: boolean;
  /** Origins to which the credential may be sent. */
  readonly confirmedOrigins: readonly string[];
}

const MEMBERS = ['spec_url', 'spec_raw', 'dry_run', 'confirm_origins'];

/**
 * Decodes the body of `POST /api/v1/registrations/:id/refresh`; null = none. `document` is `spec_raw` of a body that was
 * read on a thread. Throws `invalid_arguments` with every issue at once, and `too_large` for a description over the limit.
 */
export function decodeRefresh(
  body: unknown,
  limits: DecodeLimits,
  document: Uint8Array | null = null,
): RefreshRequest {
  const object = body ?? {};
  if (!isObject(object)) {
    throw refuseRefresh([{ path: '', message: 'The body must be a JSON object, or empty.' }]);
  }
  const issues: ArgumentIssue[] = [];
  const fields = readFields(object, issues);
  fields.allowOnly(MEMBERS, 'a refresh');
  const source = readSource(fields, limits, document) ?? null;
  const isDryRun = fields.flag('dry_run');
  const confirmedOrigins = readOrigins(fields, issues);
  if (issues.length > 0) throw refuseRefresh(issues);
  return { source, isDryRun, confirmedOrigins };
}

export const refuseRefresh = (issues: readonly ArgumentIssue[]) =>
  invalidArguments('The refresh is not valid', issues);
