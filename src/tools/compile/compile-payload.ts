import type { Located } from '../../platform/kernel/json-pointer.ts';
import { type JsonObject, ownObject } from '../../platform/kernel/plain-json.ts';
import type {
  AsOfRule,
  ParameterBinding,
  PayloadShape,
  RowFilter,
  RowView,
  Tool,
} from '../model.ts';
import type { CompileContext, InputDraft } from './compile-context.ts';
import { compilePaging, compileRows } from './compile-rows.ts';
import { extensionOf, readExtension } from './extension-table.ts';
import type { Operation } from './list-operations.ts';
import { rowColumns } from './row-columns.ts';
import { successRule } from './success-rule.ts';

/** Columns that one call may name. */
export const MAX_FIELDS = 200;

/** Where the rows, their number, the result code and the time of the data are in an operation's response. */
export function compilePayload(
  operation: Operation,
  asOf: AsOfRule,
  input: InputDraft,
  context: CompileContext,
): PayloadShape {
  const given = <Name extends string>(name: Name) => extensionOf(name, operation.value, context);
  const success = given('x-success');
  const items = given('x-items') ?? null;
  const itemWrapper = given('x-item-wrapper') ?? null;
  const listColumn = given('x-list-column');
  const members = given('x-members');
  const seriesColumns = given('x-oldest-first');
  const maxRows = given('x-max-rows');
  const filters = compileFilters(operation, input, context);
  if (items === null) {
    const ofRows = {
      'x-item-wrapper': itemWrapper !== null,
      'x-list-column': listColumn !== undefined,
      'x-members': members !== undefined,
      'x-filter': filters.length > 0,
      'x-oldest-first': seriesColumns !== undefined,
      'x-max-rows': maxRows !== undefined,
    };
    for (const [name, isGiven] of Object.entries(ofRows)) {
      if (!isGiven) continue;
      const message = `${name} has no effect without x-items. Add x-items, or remove it.`;
      context.report(`${operation.pointer}/${name}`, message);
    }
  }
  const total = given('x-total') ?? null;
  if (seriesColumns !== undefined && total === null) {
    const message = 'x-oldest-first needs x-total: without it, the last page is not known.';
    context.report(`${operation.pointer}/x-oldest-first`, message);
  }
  const paging = context.strict ? undefined : compilePaging(operation, input, context);
  const finds = context.strict || items !== null ? undefined : compileRows(operation, context);
  return {
    items,
    total,
    success: success ? successRule(success) : null,
    itemWrapper,
    ...(listColumn === undefined ? {} : { listColumn }),
    ...(members === undefined ? {} : { members }),
    ...(filters.length === 0 ? {} : { filters }),
    ...(seriesColumns === undefined ? {} : { seriesColumns }),
    ...(maxRows === undefined ? {} : { maxRows }),
    ...(paging === undefined ? {} : { paging }),
    ...(finds === undefined ? {} : { finds }),
    columns: rowColumns(operation, { items, itemWrapper }, context.references),
    asOf: asOf.kind === 'payload' ? asOf.place : null,
  };
}

/** `x-filter`: the arguments by which the rows are filtered again. */
function compileFilters(
  { value, pointer }: Located<JsonObject>,
  input: InputDraft,
  context: CompileContext,
): RowFilter[] {
  const columns = readExtension('x-filter', value, context) ?? {};
  const place = { extension: 'x-filter', pointer };
  return knownArguments(Object.keys(columns), place, input, context).map((argument) => ({
    argument,
    column: columns[argument] ?? '',
  }));
}

/** `x-range`: the pairs of arguments that are a range of the upstream. */
export function compileRanges(
  { value, pointer }: Located<JsonObject>,
  input: InputDraft,
  context: CompileContext,
): Pick<Tool, 'ranges'> {
  const given = readExtension('x-range', value, context);
  if (given === undefined) return {};
  const place = { extension: 'x-range', pointer };
  const ranges = given.filter(
    ({ from, to }) => knownArguments([from, to], place, input, context).length === 2,
  );
  return { ranges };
}

/** The names that are arguments of the tool. Reports the others. */
function knownArguments(
  names: readonly string[],
  { extension, pointer }: { readonly extension: string; readonly pointer: string },
  { properties }: InputDraft,
  { report }: CompileContext,
): string[] {
  return names.filter((name) => {
    if (properties.has(name)) return true;
    const known = [...properties.keys()].join(', ') || 'none';
    const message = `${extension}: "${name}" is not an argument of this tool. Known: ${known}.`;
    report(`${pointer}/${extension}`, message);
    return false;
  });
}

/** The arguments that are personal data. */
export function compilePersonal(
  { value, pointer }: Located<JsonObject>,
  input: InputDraft,
  ttlSeconds: number,
  context: CompileContext,
): string[] {
  const personal = readExtension('x-personal', value, context);
  if (!personal) return [];
  const names = knownArguments(personal, { extension: 'x-personal', pointer }, input, context);
  if (ttlSeconds > 0) {
    const message = 'x-personal needs x-cache-ttl: 0, because personal data must not be cached.';
    context.report(`${pointer}/x-personal`, message);
  }
  return names;
}

/** How many earlier publications may be requested. */
export function compileStepBack(
  { value, pointer }: Located<JsonObject>,
  parameters: readonly ParameterBinding[],
  { items }: PayloadShape,
  context: CompileContext,
): number {
  const steps = readExtension('x-step-back', value, context);
  if (steps === undefined) return 0;
  const place = `${pointer}/x-step-back`;
  if (items === null) {
    context.report(place, 'x-step-back needs x-items: it applies to responses without rows.');
  }
  if (parameters.some(({ source }) => source.kind === 'argument' && source.computedDefault)) {
    return steps;
  }
  context.report(place, 'x-step-back has no effect: no parameter has an x-default.');
  return 0;
}

/** The descriptions of the arguments that choose rows and columns, in Korean. */
export const ROW_ARGUMENTS_IN_KOREAN = {
  _fields: '결과에 남길 열.',
  _limit: '결과에 남길 행 수.',
  _link: '모든 행을 파일로 받을 주소.',
  _over: '여러 값에 걸친 조회: 인수=A..B, 인수=a,b 또는 인수=within:지역.',
  _where: '결과에 남길 행의 조건. 열 이름에 값, 값 목록 또는 {from, to}를 지정합니다.',
  _group: '묶을 열. 날짜 열은 month:열처럼 연·월·일로 묶습니다.',
  _calc: '묶음마다 계산할 값. count, sum:열, mean:열, median:열, min:열, max:열.',
  _sort: '결과를 정렬할 열. 앞에 -를 붙이면 내림차순입니다.',
} as const;

/**
 * Lets the caller of a tool choose among the columns and rows of its response. The descriptions are short because a
 * model reads them once for every tool.
 */
export function offerRowArguments({ properties }: InputDraft): void {
  properties.set('_fields', {
    type: 'array',
    items: { type: 'string', maxLength: 200 },
    minItems: 1,
    maxItems: MAX_FIELDS,
    description: 'Columns to keep.',
  });
  properties.set('_limit', { type: 'integer', minimum: 1, description: 'Rows to keep.' });
  properties.set('_where', {
    type: 'object',
    description: 'Rows to keep. column: value, list or {from, to}.',
  });
  const texts = { type: 'array', items: { type: 'string' } };
  properties.set('_group', { ...texts, description: 'col, month:col' });
  properties.set('_calc', { ...texts, description: 'mean:col' });
  properties.set('_sort', { ...texts, description: 'col,-col' });
  properties.set('_link', { type: 'boolean', description: 'All rows as a file' });
}

/** Lets the caller of a tool that only reads ask for all values of a range in one call. */
export function offerRange({ properties }: InputDraft): void {
  properties.set('_over', {
    type: 'array',
    items: { type: 'string' },
    description: 'ARG=A..B, ARG=a,b, ARG=within:PLACE',
  });
}

/** How the rows of an operation are shown: `x-titles`, `x-units`, `x-codes`, `x-concise`, `x-pivot` and `x-missing`. */
export function compileView(
  operation: Located<JsonObject>,
  payload: PayloadShape,
  context: CompileContext,
): RowView {
  const given = <Name extends string>(name: Name) => extensionOf(name, operation.value, context);
  const titles = given('x-titles') ?? {};
  const units = given('x-units') ?? {};
  const codes = given('x-codes') ?? {};
  const columns = [titles, units, codes]
    .flatMap((map) => Object.keys(map))
    .map((name) => [
      name,
      { title: titles[name] ?? null, unit: units[name] ?? null, codes: codes[name] ?? null },
    ]);
  const missing = given('x-missing');
  const view: RowView = {
    columns: Object.fromEntries(columns),
    concise: given('x-concise') ?? null,
    pivot: given('x-pivot') ?? null,
    ...(missing === undefined ? {} : { missing }),
  };
  checkColumns(operation, view, payload, context);
  return view;
}

/** Extensions of an operation name columns that it has; the document's are for all its operations. */
function checkColumns(
  { value, pointer }: Located<JsonObject>,
  { columns, concise, pivot, missing = {} }: RowView,
  { columns: known }: PayloadShape,
  { strict, refuse }: CompileContext,
): void {
  if (!strict || known === null) return;
  const check = (extension: string, names: readonly string[], allowed: readonly string[]) => {
    const unknown = names.filter((name) => !allowed.includes(name));
    if (unknown.length === 0 || !Object.hasOwn(value, extension)) return;
    refuse(
      `${pointer}/${extension}`,
      `${extension} names columns that the rows do not have: ${unknown.join(', ')}. Columns: ${known.join(', ')}.`,
    );
  };
  if (pivot) check('x-pivot', [...pivot.rows, pivot.category, pivot.value], known);
  check('x-missing', Object.keys(missing), known);
  // The quantities of a pivot are columns that no schema names.
  check('x-concise', concise ?? [], pivot ? [...known, ...Object.keys(columns)] : known);
  if (pivot) return;
  for (const extension of ['x-titles', 'x-units', 'x-codes', 'x-members']) {
    check(extension, Object.keys(ownObject(value, extension)), known);
  }
}
