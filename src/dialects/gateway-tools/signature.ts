import { isObject } from '../../platform/kernel/plain-json.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { ROW_ARGUMENTS } from '../../tools/compile/compile-context.ts';
import type { JsonSchema } from '../../tools/model.ts';

/** Characters of the parts of a signature. */
const LIMITS = { description: 700, argument: 160, type: 120, sentence: 140, title: 100 } as const;

/** Arguments and values of an enumeration that a signature lists. */
const MAX_ARGUMENTS = 60;
const MAX_VALUES = 12;

/** Arguments that every tool with rows has: they are described together, in one line. */
const ROW_NAMES: ReadonlySet<string> = new Set(ROW_ARGUMENTS);
const ROW_LINE =
  'integer, _fields?: string[], _where?: object — choose rows and columns; _group?, _calc?, _sort?: string[], such as month:date, median:price, -median_price; _link?: boolean — all rows as a file';

/** A tool in one line: its name, title and first sentence. */
export function briefOf({ tool, description }: CatalogEntry): string {
  const said = cut(firstSentence(oneLine(description)), LIMITS.sentence);
  const title = tool.title ? `${cut(oneLine(tool.title), LIMITS.title)}. ` : '';
  return `${tool.name} — ${title}${said}`;
}

/** A compact signature: a line for the tool and one for each argument. */
export function signatureOf({ tool, description }: CatalogEntry): string {
  const { properties, required } = tool.inputSchema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(isObject(properties) ? properties : {});
  const own = all.filter(([name]) => !ROW_NAMES.has(name));
  const lines = own
    .slice(0, MAX_ARGUMENTS)
    .map(([name, schema]) => argumentLine(name, schema as JsonSchema, needed.has(name)));
  if (own.length > MAX_ARGUMENTS) lines.push(`  … and ${own.length - MAX_ARGUMENTS} more`);
  if (own.length < all.length) lines.push(`  _limit?: ${ROW_LINE}`);
  return [`${tool.name} — ${cut(oneLine(description), LIMITS.description)}`, ...lines].join('\n');
}

function argumentLine(name: string, schema: JsonSchema, isRequired: boolean): string {
  const { description } = schema;
  const said = typeof description === 'string' ? cut(oneLine(description), LIMITS.argument) : '';
  const start = `  ${name}${isRequired ? '' : '?'}: ${cut(typeOf(schema), LIMITS.type)}`;
  return said === '' ? start : `${start} — ${said}`;
}

/** The type of a value with its bounds, as in `integer 1..149 = 60`. */
export function typeOf(schema: JsonSchema): string {
  const { default: otherwise } = schema;
  const parts = [kindOf(schema), formOf(schema)].filter(Boolean).join(' ');
  return otherwise === undefined ? parts : `${parts} = ${JSON.stringify(otherwise)}`;
}

function kindOf({ type, enum: values, const: constant, items }: JsonSchema): string {
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values)) {
    const shown = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
    return [...shown, ...(values.length > MAX_VALUES ? ['…'] : [])].join('|');
  }
  if (type === 'array') return `${isObject(items) ? kindOf(items) : 'any'}[]`;
  return Array.isArray(type) ? type.join('|') : typeof type === 'string' ? type : 'any';
}

/** What the text or the number must look like. */
function formOf({ format, pattern, minimum, maximum }: JsonSchema): string {
  if (typeof format === 'string') return format;
  if (typeof pattern === 'string') return FORMS[pattern] ?? `/${pattern}/`;
  if (minimum === undefined && maximum === undefined) return '';
  return `${minimum ?? ''}..${maximum ?? ''}`;
}

/** Patterns in words, which are shorter. */
const FORMS: Readonly<Record<string, string>> = {
  '^\\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])$': 'YYYYMMDD',
  '^\\d{4}(0[1-9]|1[0-2])[0-3]\\d$': 'YYYYMMDD',
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$': 'YYYY-MM-DD',
  '^\\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])([01]\\d|2[0-3])[0-5]\\d$': 'YYYYMMDDHHMM',
  '^\\d{4}(0[1-9]|1[0-2])$': 'YYYYMM',
  '^([01]\\d|2[0-3])[0-5]\\d$': 'HHMM',
  '^\\d{8}$': 'of 8 digits',
  '^\\d{6}$': 'of 6 digits',
  '^\\d{5}$': 'of 5 digits',
  '^\\d{4}$': 'of 4 digits',
};

/** Texts of registered tools may have line breaks, which would look like other lines. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

export const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;
