import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';
import type { UrlPolicy } from '../../upstreams/guard/check-url.ts';
import { decodeAuthentication } from './decode-authentication.ts';
import { decodeDescriptions } from './decode-descriptions.ts';
import { decodeFilters } from './decode-filters.ts';
import {
  readCategory,
  readDescription,
  readName,
  refuse,
  VISIBILITIES,
} from './decode-registration.ts';
import { type FieldReader, readFields } from './field-reader.ts';
import type { Authentication, Visibility } from './registration-request.ts';

/** What a tenant may change of a registration without compiling its description again. */
export interface StoredPatch {
  readonly name?: string;
  readonly authentication?: Authentication;
  readonly visibility?: Visibility;
  /** Null removes it. */
  readonly category?: string | null;
  readonly description?: string | null;
  /** Texts by the name of the tool as it is listed; null returns to the text of the description. */
  readonly descriptions?: ReadonlyMap<string, string | null>;
  readonly include?: never;
  readonly exclude?: never;
}

/** A change that selects other operations, so that the description is compiled again. */
export type RegistrationPatch = Omit<StoredPatch, 'include' | 'exclude'> & {
  /** Null = all operations. */
  readonly include?: readonly OperationFilter[] | null;
  readonly exclude?: readonly OperationFilter[];
};

export const isStoredPatch = (patch: RegistrationPatch): patch is StoredPatch =>
  patch.include === undefined && patch.exclude === undefined;

const MEMBERS = [
  'name',
  'auth',
  'visibility',
  'category',
  'description',
  'descriptions',
  'include',
  'exclude',
];

/** Decodes the body of `PATCH /api/v1/registrations/:id`. Throws `invalid_arguments` with every issue at once. */
export function decodePatch(body: unknown, urls: UrlPolicy): RegistrationPatch {
  if (!isObject(body)) throw refuse([{ path: '', message: 'The body must be a JSON object.' }]);
  const issues: ArgumentIssue[] = [];
  const fields = readFields(body, issues);
  fields.allowOnly(MEMBERS, 'a change of a registration');
  const name = fields.value('name') === undefined ? undefined : readName(fields);
  const auth = fields.value('auth');
  const authentication = auth === undefined ? undefined : decodeAuthentication(auth, issues, urls);
  const visibility = fields.oneOf('visibility', VISIBILITIES);
  const descriptions = decodeDescriptions(fields.value('descriptions'), issues);
  const optional = { ...readTexts(fields), ...readFilters(fields, issues) };
  if (issues.length > 0) throw refuse(issues);
  return {
    ...(name !== undefined && { name }),
    ...(authentication && { authentication }),
    ...(visibility && { visibility }),
    ...(descriptions && { descriptions }),
    ...optional,
  };
}

function readTexts(fields: FieldReader): Pick<RegistrationPatch, 'category' | 'description'> {
  const category = readCategory(fields) ?? nullOf(fields, 'category');
  const description = readDescription(fields) ?? nullOf(fields, 'description');
  return {
    ...(category !== undefined && { category }),
    ...(description !== undefined && { description }),
  };
}

function readFilters(
  fields: FieldReader,
  issues: ArgumentIssue[],
): Pick<RegistrationPatch, 'include' | 'exclude'> {
  const include =
    decodeFilters(fields.value('include'), '/include', issues) ?? nullOf(fields, 'include');
  const exclude =
    decodeFilters(fields.value('exclude'), '/exclude', issues) ??
    (fields.isNull('exclude') ? [] : undefined);
  return { ...(include !== undefined && { include }), ...(exclude && { exclude }) };
}

const nullOf = (fields: FieldReader, name: string): null | undefined =>
  fields.isNull(name) ? null : undefined;
