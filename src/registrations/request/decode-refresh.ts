import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { invalidArguments } from '../../platform/kernel/invalid-arguments.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { type DecodeLimits, readSource } from './decode-registration.ts';
import { type FieldReader, readFields } from './field-reader.ts';
import type { DescriptionSource } from './registration-request.ts';
import { MAX_CONFIRMED_ORIGINS } from './request-bounds.ts';

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

function readOrigins(fields: FieldReader, issues: ArgumentIssue[]): readonly string[] {
  const value = fields.value('confirm_origins');
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MAX_CONFIRMED_ORIGINS) {
    const most = `must be an array of at most ${MAX_CONFIRMED_ORIGINS} origins.`;
    fields.note('confirm_origins', most);
    return [];
  }
  value.forEach((origin: unknown, index) => {
    if (isOrigin(origin)) return;
    const path = pointerTo('/confirm_origins', index);
    issues.push({ path, message: 'must be an origin, such as https://api.example.com.' });
  });
  return value;
}

const isOrigin = (text: unknown): boolean =>
  typeof text === 'string' && URL.canParse(text) && new URL(text).origin === text;

export const refuseRefresh = (issues: readonly ArgumentIssue[]) =>
  invalidArguments('The refresh is not valid', issues);
