import { type JsonObject, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import type { AsOfRule, DataSource, Licence } from '../model.ts';
import { asOfRule } from './as-of-rule.ts';
import { cleanLine, MAX_TITLE_LENGTH } from './clean-text.ts';
import type { CompileContext } from './compile-context.ts';
import { extensionOf, isPublicData } from './extensions.ts';
import { licenceOf, UNKNOWN_LICENCE } from './licence-value.ts';
import type { Operation } from './operation.ts';

/** What every preset should say; `presets check` demands it. */
const REQUIRED = ['x-publisher', 'x-licence', 'x-as-of'];

/** Public data have Korean times. */
const KOREAN_OFFSET = '+09:00';

/**
 * Where the data of an operation come from, and under which terms they may be used. A stranger's document says so with
 * `info.license` only; it has no publisher.
 */
export function compileSource(operation: Operation, context: CompileContext): DataSource {
  const { root, strict } = context;
  const info = ownObject(root, 'info');
  const given = (name: string) => extensionOf(name, operation.value, context);
  const name = strict ? given('x-publisher') : undefined;
  const publisher = typeof name === 'string' ? name : null;
  const licence = strict
    ? licenceOf(given('x-licence'))
    : declaredLicence(ownObject(info, 'license'));
  const docUrl =
    webAddress(ownObject(operation.value, 'externalDocs'), 'url') ??
    webAddress(ownObject(root, 'externalDocs'), 'url');
  return {
    publisher,
    dataset: cleanLine(ownText(info, 'title') ?? '', MAX_TITLE_LENGTH),
    docUrl,
    licence,
    attribution: publisher && attributionOf(publisher, licence),
    asOf: compileAsOf(given('x-as-of'), context),
    missing: REQUIRED.filter((extension) => given(extension) === undefined),
  };
}

function compileAsOf(value: unknown, { root }: Pick<CompileContext, 'root'>): AsOfRule {
  return asOfRule(value, isPublicData(root) ? KOREAN_OFFSET : null);
}

const attributionOf = (publisher: string, { title }: Licence): string =>
  title === null ? publisher : `${publisher}, ${title}`;

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

const MAX_URL_LENGTH = 500;
