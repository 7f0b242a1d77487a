import { type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema, PagingArguments, RowSearch } from '../model.ts';
import { pagePlaces } from '../rows/page-members.ts';
import { rowSearchOf } from '../rows/path-names.ts';
import { plainName } from '../rows/row-names.ts';
import { columnsIn, schemaTree } from '../rows/schema-tree.ts';
import { searchRows } from '../rows/search-rows.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { extensionOf } from './extension-table.ts';
import type { Operation } from './list-operations.ts';

/** Paths of requests that search, though they are sent with POST. */
const SEARCHES = /search|query|find|filter|list|lookup|graphql/i;

/** How the rows of an operation without `x-items` are found (docs/rows.md); undefined if it has none. */
export function compileRows(operation: Operation, context: CompileContext): RowSearch | undefined {
  const { method, path } = operation;
  if (method !== 'GET' && method !== 'POST') return undefined;
  const search = rowSearchOf(path);
  const schema = responseSchema(operation, context);
  const tree = schemaTree(context.references);
  const found = schema === undefined ? 'unknown' : searchRows(tree, schema, search);
  const isSearch = method === 'GET' || SEARCHES.test(path);
  if (found === 'none' || (found === 'unknown' && !isSearch))
    return { ...search, columns: [], expected: 'none' };
  if (found === 'unknown') return { ...search, columns: [], expected: null };
  const { items, itemWrapper, evidence, around, list } = found;
  const columns = columnsIn(list, itemWrapper, context.references);
  return {
    ...search,
    columns,
    expected: { items, itemWrapper, ...pagePlaces(tree, around), evidence },
  };
}

const STATUSES = ['200', '2XX', '2xx', '201', '203', '206', 'default'];

/** The schema of the successful response, in the media type that is preferred; undefined without one. */
function responseSchema(
  { value, pointer }: Located<JsonObject>,
  { references }: CompileContext,
): unknown {
  const responses = ownObject(value, 'responses');
  const status = STATUSES.find((each) => own(responses, each) !== undefined);
  if (status === undefined) return undefined;
  const start = {
    value: own(responses, status),
    pointer: pointerTo(`${pointer}/responses`, status),
  };
  // A broken reference is reported where it matters: in what is sent.
  const reference = isObject(start.value) ? own(start.value, '$ref') : undefined;
  const response =
    typeof reference === 'string' ? references.target(reference)?.value : start.value;
  const content = Object.entries(ownObject(isObject(response) ? response : {}, 'content'));
  const [, media] = content.find(([type]) => /json/i.test(type)) ?? content[0] ?? [];
  return isObject(media) ? own(media, 'schema') : undefined;
}

/** Names of arguments without case and separators, best first. */
const PAGES = names('page pageno pagenumber pagenum pageindex currentpage pg p');
const OFFSETS = names('offset skip startindex start startat startposition firstresult');
const SIZES = names(
  'perpage pagesize limit size count maxresults maxitems maxrecords rows top itemsperpage numofrows pagelimit resultsperpage rpp maxkeys max hitsperpage take num',
);
const CURSORS = names(
  'cursor nextcursor pagetoken nextpagetoken nexttoken pagecursor continuationtoken continuation continue after startafter marker nextpage scrollid paginationtoken pagingtoken token exclusivestartkey startcursor nextkey iterator',
);
const LAST_IDS = names('startingafter');

function names(text: string): readonly string[] {
  return text.split(' ').map(plainName);
}

/** What `x-paging` says, or the arguments whose names do; null for an operation with one page. */
export function compilePaging(
  operation: Operation,
  { properties }: InputDraft,
  context: CompileContext,
): PagingArguments | null {
  const given = extensionOf('x-paging', operation.value, context);
  if (given === 'none') return null;
  const known = [...properties].map(([name, schema]) => ({ name, plain: plainName(name), schema }));
  if (given !== undefined)
    return checkNames(
      given,
      known.map(({ name }) => name),
      operation,
      context,
    );
  const find = (wanted: readonly string[], isFit: (schema: JsonSchema) => boolean = () => true) =>
    wanted
      .flatMap((plain) => known.filter((each) => each.plain === plain && isFit(each.schema)))
      .at(0);
  const [page, offset, size] = [PAGES, OFFSETS, SIZES].map((wanted) => find(wanted, isCount));
  const cursor = find(CURSORS);
  const lastId = find(LAST_IDS);
  const first = page && firstPage(page.schema);
  return {
    ...(page && { page: page.name }),
    ...(first === undefined ? {} : { first }),
    ...(offset && { offset: offset.name }),
    ...(size && { size: size.name }),
    ...(cursor && { cursor: cursor.name }),
    ...(lastId && { lastId: lastId.name }),
  };
}

/** A number, or a text that nothing says to be anything else: many descriptions write page numbers so. */
function isCount(schema: JsonSchema): boolean {
  const types = [own(schema, 'type')].flat();
  const isText =
    types.includes('string') &&
    own(schema, 'format') === undefined &&
    own(schema, 'enum') === undefined;
  return types.includes('integer') || types.includes('number') || isText || types[0] === undefined;
}

/** 0 or 1, if the schema says where pages begin. */
function firstPage(schema: JsonSchema): number | undefined {
  const said = [own(schema, 'minimum'), own(schema, 'default')].map(Number);
  const starts = said.filter((value) => value === 0 || value === 1);
  if (starts.length === 0) return undefined;
  return starts.includes(0) ? 0 : 1;
}

/** Arguments of `x-paging` that the tool does not have are left out, and reported. */
function checkNames(
  given: PagingArguments,
  known: readonly string[],
  { pointer }: Operation,
  { report }: CompileContext,
): PagingArguments {
  const entries = Object.entries(given).filter(([member, value]) => {
    if (member === 'at' || member === 'first' || known.includes(String(value))) return true;
    const message = `x-paging: "${value}" is not an argument of this tool. Known: ${known.join(', ') || 'none'}.`;
    report(`${pointer}/x-paging`, message);
    return false;
  });
  return Object.fromEntries(entries);
}
