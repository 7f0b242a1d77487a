import { child, type Located } from '../../platform/kernel/json-pointer.ts';
import { referenceOf } from '../document/resolve-reference.ts';
import type { CompileContext } from './compile-context.ts';
import type { Operation } from './list-operations.ts';

/** A path in the one spelling of OpenAPI, `{name}`. */
export interface PathTemplate {
  readonly path: string;
  /** Its variables, by what the path writes between the braces and by their plain names. */
  readonly variables: ReadonlyMap<string, PathVariable>;
}

interface PathVariable {
  readonly name: string;
  /** Whether its value may have several segments. */
  readonly isGreedy: boolean;
}

/** A variable where it stands in the path. */
interface Found extends PathVariable {
  readonly written: string;
  /** What stands between the braces. */
  readonly content: string;
  /** Before the value, as in `{/name}`. */
  readonly prefix: string;
}

/**
 * Reads the path of an operation, in which frameworks write their own templates: `{proxy+}`, `{file:path}`, `{*rest}`,
 * `{id:[0-9]{3}}`, `{name=projects/*}`, `{+name}`, `{ id }`, `:id`, `<int:id>`. A colon or an asterisk without braces begins a
 * variable only if a path parameter has its name: `/things:batchGet` has none. Reports what is not as written.
 */
export function readPathTemplate(operation: Operation, context: CompileContext): PathTemplate {
  const parts = splitPath(operation.path, declaredNames(operation, context));
  const found = parts.filter((part) => typeof part !== 'string');
  const variables = new Map<string, PathVariable>();
  for (const part of found) {
    const { name, content, isGreedy } = part;
    // Two that would become one keep what makes them differ.
    const isShared = found.some((other) => other.name === name && other.content !== content);
    const variable = isShared ? { name: content, isGreedy: false } : { name, isGreedy };
    variables.set(content, variable);
    variables.set(variable.name, variable);
    if (part.written !== `{${variable.name}}`) {
      context.report(operation.pathItem.pointer, reportOf(part, variable));
    }
  }
  for (const [query] of operation.path.matchAll(/\{\s*[?&][^{}]*\}/g)) {
    context.report(
      operation.pathItem.pointer,
      `The path writes ${query}, which was left out. ${IN_QUERY}`,
    );
  }
  const path = parts.map((part) =>
    typeof part === 'string' ? part : `${part.prefix}{${variables.get(part.content)?.name}}`,
  );
  return { path: path.join(''), variables };
}

const IN_QUERY = 'Describe these arguments as parameters with `in: query`.';

function reportOf({ written }: Found, { name, isGreedy }: PathVariable): string {
  const values = isGreedy
    ? 'It may have several segments, as in "a/b".'
    : 'What else the path says of it is not checked.';
  return `The path writes ${written}: the argument is "${name}". ${values}`;
}

/** The names of the path parameters of an operation. Reports no issue. */
function declaredNames(operation: Operation, { references }: CompileContext): ReadonlySet<string> {
  const lists = [operation.pathItem, operation].map((place: Located) =>
    child(place.value, 'parameters'),
  );
  const parameters = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  const names = parameters.flatMap((written: unknown) => {
    const parameter = references.target(referenceOf(written) ?? '')?.value ?? written;
    const name = child(parameter, 'name');
    return child(parameter, 'in') === 'path' && typeof name === 'string' ? [name] : [];
  });
  return new Set(names);
}

/** A segment, or a part of one after a separator, that is a variable of Express, Rails or Flask. */
const BARE =
  /(?<=[/.~-])([:*])([A-Za-z_]\w*)(?:\([^()]*\))?([*+?]?)|<(?:(\w+)(?:\([^()]*\))?:)?([A-Za-z_]\w*)>/g;

/** The literal parts and the variables of a path, in their order. */
function splitPath(path: string, declared: ReadonlySet<string>): readonly (string | Found)[] {
  const parts: (string | Found)[] = [];
  let at = 0;
  while (at < path.length) {
    const start = path.indexOf('{', at);
    const end = start < 0 ? -1 : endOfBraces(path, start);
    const literal = path.slice(at, end < 0 ? path.length : start);
    parts.push(...splitBare(literal, declared));
    if (end < 0) return parts;
    parts.push(...readBraces(path.slice(start + 1, end)));
    at = end + 1;
  }
  return parts;
}

/** The brace that closes the one at `start`: a regular expression within may have braces of its own. */
function endOfBraces(path: string, start: number): number {
  let depth = 0;
  for (let at = start; at < path.length; at++) {
    if (path[at] === '{') depth++;
    else if (path[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

function splitBare(literal: string, declared: ReadonlySet<string>): (string | Found)[] {
  const parts: (string | Found)[] = [];
  let at = 0;
  for (const match of literal.matchAll(BARE)) {
    const [written, mark, bare, repeats, converter, angled] = match;
    const name = bare ?? angled ?? '';
    if (mark !== undefined && !declared.has(name)) continue;
    const isGreedy = mark === '*' || /[*+]/.test(repeats ?? '') || converter === 'path';
    parts.push(literal.slice(at, match.index), {
      written,
      content: name,
      name,
      isGreedy,
      prefix: '',
    });
    at = match.index + written.length;
  }
  return [...parts, literal.slice(at)];
}

/** The variable between two braces, of RFC 6570, AWS, ASP.NET, FastAPI, Spring or Google. None for a query. */
function readBraces(content: string): (string | Found)[] {
  const text = content.trim();
  // The parameters of a query are sent where they belong.
  if (/^[?&]/.test(text)) return [];
  const operator = /^[+#/.*]*/.exec(text)?.[0] ?? '';
  const [body = ''] = text.slice(operator.length).split(/[:=]/, 1);
  const sign = text[operator.length + body.length];
  const rule = text.slice(operator.length + body.length + 1);
  const repeats = /(?:\*{1,2}\d{0,3}|[+?])$/.exec(body.trimEnd())?.[0] ?? '';
  const name = body
    .trimEnd()
    .slice(0, body.trimEnd().length - repeats.length)
    .trim();
  const isList = body.includes(',');
  const isGreedy = /[+#*]/.test(operator + repeats) || mayHaveSlashes(rule, sign);
  return [
    {
      written: `{${content}}`,
      content,
      name: name === '' || isList ? content : name,
      isGreedy: name !== '' && !isList && isGreedy,
      prefix: /^[/.]$/.test(operator) ? operator : '',
    },
  ];
}

/** A longer rule for the values of a variable is not read. */
const MAX_RULE_LENGTH = 200;

/** `path` of FastAPI and Starlette, `.*` and other expressions that a slash fits, `projects/*` and `**` of Google. */
function mayHaveSlashes(rule: string, sign: string | undefined): boolean {
  const text = rule.slice(0, MAX_RULE_LENGTH).trim();
  if (sign === '=') return /\/|\*\*/.test(text);
  return /^\*?path\b|\.[*+]|\//.test(text.replace(/\[\^[^\]]*\]/g, ''));
}
