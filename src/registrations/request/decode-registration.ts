import { type ArgumentIssue, GatewayError } from '../../platform/kernel/error.ts';
import { invalidArguments } from '../../platform/kernel/invalid-arguments.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { UrlPolicy } from '../../upstreams/guard/check-url.ts';
import { decodeAuthentication } from './decode-authentication.ts';
import { decodeFilters } from './decode-filters.ts';
import { type FieldReader, readFields } from './field-reader.ts';
import type {
  AuthScheme,
  DescriptionSource,
  RegistrationOptions,
  RegistrationRequest,
  Visibility,
} from './registration-request.ts';
import {
  MAX_CATEGORY_LENGTH,
  MAX_CONFIRMED_ORIGINS,
  MAX_DESCRIPTION_LENGTH,
  MAX_NAME_LENGTH,
} from './request-bounds.ts';

export interface DecodeLimits {
  readonly maxDocumentBytes: number;
  /** For `spec_url`, `base_url` and `token_url`; DNS is checked when they are requested. */
  readonly urls: UrlPolicy;
}

const MEMBERS = [
  'spec_url',
  'spec_raw',
  'name',
  'auth',
  'visibility',
  'category',
  'description',
  'base_url',
  'confirm_origins',
  'include',
  'exclude',
  'dry_run',
];

/**
 * Decodes the body of `POST /api/v1/register` (docs/contract.md#registration). Throws `invalid_arguments` with every issue
 * at once, `too_large` for a description over the limit, and `unprocessable` for a public API with a credential. `document`
 * is the `spec_raw` of a large body, in UTF-8, if the body was read without it.
 */
export function decodeRegistration(
  body: unknown,
  limits: DecodeLimits,
  document: Uint8Array | null = null,
): RegistrationRequest {
  if (!isObject(body)) throw refuse([{ path: '', message: 'The body must be a JSON object.' }]);
  const issues: ArgumentIssue[] = [];
  const fields = readFields(body, issues);
  fields.allowOnly(MEMBERS, 'a registration');
  if (!document && ['spec_url', 'spec_raw'].every((name) => fields.value(name) === undefined)) {
    fields.note('spec_url', 'is required, or `spec_raw` with the description itself.');
  }
  return decodeFields(fields, issues, { source: readSource(fields, limits, document), limits });
}

/** As `decodeRegistration`, for a body that is the description itself. `query` has the other members; never credentials. */
export function decodeDocumentRegistration(
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
  document: Uint8Array,
  limits: DecodeLimits,
): RegistrationRequest {
  const issues: ArgumentIssue[] = [];
  readFields(query, issues).allowOnly(
    QUERY_MEMBERS,
    'the query; send the others in a JSON body with `spec_raw`',
  );
  const fields = readFields(fromQuery(query), issues);
  if (document.byteLength === 0) issues.push({ path: '', message: 'The body must not be empty.' });
  assertSize(document.byteLength, limits);
  return decodeFields(fields, issues, { source: { document }, limits });
}

const QUERY_MEMBERS = ['name', 'visibility', 'category', 'description', 'base_url', 'dry_run'];

function fromQuery(
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
): JsonObject {
  const flags: Readonly<Record<string, boolean>> = { true: true, false: false };
  const members = Object.fromEntries(QUERY_MEMBERS.map((name) => [name, own(query, name)]));
  return { ...members, dry_run: flags[String(query['dry_run'])] ?? query['dry_run'] };
}

function decodeFields(
  fields: FieldReader,
  issues: ArgumentIssue[],
  { source, limits }: { source: DescriptionSource | undefined; limits: DecodeLimits },
): RegistrationRequest {
  const name = readName(fields);
  const authentication = decodeAuthentication(fields.value('auth'), issues, limits.urls);
  const options = readOptions(fields, issues, limits.urls);
  const confirmedOrigins = readOrigins(fields, issues);
  const isDryRun = fields.flag('dry_run');
  if (issues.length > 0 || !source) throw refuse(issues);
  assertShareable(options.visibility, authentication.scheme);
  return { name, source, authentication, options, confirmedOrigins, isDryRun };
}

export const readName = (fields: FieldReader): string =>
  fields
    .requiredText('name', {
      maxLength: MAX_NAME_LENGTH,
      pattern: /[\p{L}\p{N}]/u,
      otherwise: 'must contain a letter or a digit.',
    })
    .trim();

export const readCategory = (fields: FieldReader): string | undefined =>
  fields.text('category', {
    maxLength: MAX_CATEGORY_LENGTH,
    pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    otherwise: 'must be lower-case letters and digits, with single hyphens between them.',
  });

export const readDescription = (fields: FieldReader): string | undefined =>
  fields.text('description', { maxLength: MAX_DESCRIPTION_LENGTH, isMultiline: true });

export const VISIBILITIES = ['private', 'public'] as const;

function readOptions(
  fields: FieldReader,
  issues: ArgumentIssue[],
  urls: UrlPolicy,
): RegistrationOptions {
  const category = readCategory(fields);
  const baseUrl = fields.url('base_url', urls);
  if (baseUrl !== undefined && /[?#]/.test(baseUrl)) {
    fields.note('base_url', 'must not have a query or a fragment.');
  }
  return {
    visibility: fields.oneOf('visibility', VISIBILITIES) ?? 'private',
    category: category ?? null,
    description: readDescription(fields) ?? null,
    baseUrl: baseUrl ?? null,
    include: decodeFilters(fields.value('include'), '/include', issues) ?? null,
    exclude: decodeFilters(fields.value('exclude'), '/exclude', issues) ?? [],
  };
}

/** `confirm_origins`. */
export function readOrigins(fields: FieldReader, issues: ArgumentIssue[]): readonly string[] {
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

/** Undefined if neither is given, or with an issue. `document` is `spec_raw` of a body that was read on a thread. */
export function readSource(
  fields: FieldReader,
  limits: DecodeLimits,
  document: Uint8Array | null = null,
): DescriptionSource | undefined {
  const raw = document ?? fields.value('spec_raw');
  const url =
    fields.value('spec_url') === undefined ? undefined : fields.url('spec_url', limits.urls);
  if (raw !== undefined && fields.value('spec_url') !== undefined) {
    fields.note('spec_raw', 'must not be sent together with `spec_url`. Send one of the two.');
    return undefined;
  }
  if (raw === undefined) return url === undefined ? undefined : { url };
  if (document?.byteLength) {
    assertSize(document.byteLength, limits);
    return { document };
  }
  if (typeof raw !== 'string' || raw.trim() === '') {
    fields.note('spec_raw', 'must be a string with an OpenAPI description in JSON or YAML.');
    return undefined;
  }
  // A character takes at least one byte: text that cannot fit is not encoded.
  assertSize(raw.length, limits);
  const encoded = Buffer.from(raw);
  assertSize(encoded.byteLength, limits);
  return { document: encoded };
}

function assertSize(bytes: number, { maxDocumentBytes }: DecodeLimits): void {
  if (bytes <= maxDocumentBytes) return;
  throw new GatewayError(
    'too_large',
    `The API description is larger than ${maxDocumentBytes} bytes. Split it.`,
  );
}

/** Throws `unprocessable` for a public API with a credential: every tenant would call it as its owner. */
export function assertShareable(visibility: Visibility, { type }: AuthScheme): void {
  if (visibility === 'private' || type === 'none') return;
  const message = 'must be none for a public API: every tenant would use your credential.';
  throw new GatewayError(
    'unprocessable',
    `The registration is not possible: /auth/type ${message}`,
    {
      details: { errors: [{ path: '/auth/type', message }] },
    },
  );
}

export const refuse = (issues: readonly ArgumentIssue[]): GatewayError =>
  invalidArguments('The registration is not valid', issues);
