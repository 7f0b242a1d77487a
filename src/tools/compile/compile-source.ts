import { type JsonObject, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import type { AsOfRule, DataSource, Licence } from '../model.ts';
import { cleanLine, MAX_TITLE_LENGTH } from './clean-text.ts';
import type { CompileContext } from './compile-context.ts';
import { extensionOf, isPublicData, type ValueOf } from './extension-table.ts';
import type { Operation } from './list-operations.ts';

/** What every preset should say; `presets check` demands it. */
const REQUIRED = ['x-publisher', 'x-licence', 'x-as-of'];

/** Public data have Korean times. */
const KOREAN_OFFSET = '+09:00';

const MAX_URL_LENGTH = 500;

/** A number of a portal in an address, such as https://www.data.go.kr/data/15085288/openapi.do. */
const DATASET_ID = /\/(\d{5,15})(?:[/?]|$)/;

const UNKNOWN_LICENCE: Licence = { code: 'unknown', title: null, url: null };

/**
 * Where the data of an operation come from, and under which terms they may be used. A stranger's document says so with
 * `info.license` only; it has no publisher.
 */
export function compileSource({ value }: Operation, context: CompileContext): DataSource {
  const { root, strict } = context;
  const { policy } = context.options;
  const isOurs = strict || (policy.kind === 'registered' && policy.overlay !== undefined);
  const info = ownObject(root, 'info');
  const publisher = extensionOf('x-publisher', value, context) ?? null;
  const given = extensionOf('x-licence', value, context);
  const licence = strict ? licenceOf(given) : declaredLicence(ownObject(info, 'license'));
  const defaultOffset = isPublicData(root) ? KOREAN_OFFSET : null;
  const docUrl =
    webAddress(ownObject(value, 'externalDocs'), 'url') ??
    webAddress(ownObject(root, 'externalDocs'), 'url');
  return {
    publisher,
    dataset: cleanLine(ownText(info, 'title') ?? '', MAX_TITLE_LENGTH),
    datasetId: (isOurs && docUrl && DATASET_ID.exec(docUrl)?.[1]) || null,
    docUrl,
    licence,
    attribution: publisher && licence.title ? `${publisher}, ${licence.title}` : publisher,
    asOf: asOfRule(extensionOf('x-as-of', value, context), defaultOffset),
    missing: REQUIRED.filter((extension) => extensionOf(extension, value, context) === undefined),
  };
}

const licenceOf = (value: ValueOf<'x-licence'> | undefined): Licence =>
  value === undefined || value === 'unknown' ? UNKNOWN_LICENCE : value;

/** Times without an offset of their own are in `defaultOffset`. */
function asOfRule(value: ValueOf<'x-as-of'> | undefined, defaultOffset: string | null): AsOfRule {
  if (value === undefined || value === 'unknown') return { kind: 'unknown' };
  if (value === 'fetch') return { kind: 'fetch' };
  const { arguments: names, columns = [], pointer = null, offset = defaultOffset } = value;
  return names
    ? { kind: 'arguments', names, offset }
    : { kind: 'payload', place: { pointer, columns, offset } };
}

/** `info.license` (OpenAPI 3.1, License Object). */
function declaredLicence(license: JsonObject): Licence {
  const code = cleanLine(ownText(license, 'identifier') ?? '', MAX_TITLE_LENGTH);
  const title = cleanLine(ownText(license, 'name') ?? '', MAX_TITLE_LENGTH) || null;
  if (code === '' && title === null) return UNKNOWN_LICENCE;
  return { code: code || (title ?? ''), title, url: webAddress(license, 'url') };
}

/** Nothing but a web address may be shown as one. */
function webAddress(parent: JsonObject, name: string): string | null {
  const text = ownText(parent, name) ?? '';
  const url = text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}
