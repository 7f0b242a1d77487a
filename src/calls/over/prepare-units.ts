import { type GatewayError, invalidArguments } from '../../platform/kernel/error.ts';
import { own, ownObject } from '../../platform/kernel/plain-json.ts';
import { RANGE_ARGUMENTS, ROW_ARGUMENTS } from '../../tools/compile/compile-context.ts';
import type { Tool } from '../../tools/model.ts';
import type { CallRecord } from '../call-record.ts';
import { type CallToolDeps, prepareRecorded } from '../call-tool.ts';
import type { Arguments } from '../choose-rows.ts';
import { isCached } from '../look-up.ts';
import { type PreparedCall, prepareTool } from '../prepare-call.ts';
import { forEachUnit, type Units } from './plan-units.ts';
import { MAX_REQUESTS } from './read-over.ts';

/** The arguments of an outer call that its requests do not have: they choose among all rows, or say what the call is. */
const OUTER: ReadonlySet<string> = new Set([...ROW_ARGUMENTS, ...RANGE_ARGUMENTS]);

/** Rows of one page: larger ones are too long for one turn of the event loop, and for a response. */
const MAX_PAGE_ROWS = 1000;

/** The requests of a range, before any is made. */
export interface PreparedUnits {
  /** The first unit with the row arguments of the outer call. */
  readonly first: PreparedCall;
  /** What each unit asks for; fewer than there are if they are too many for one call. */
  readonly units: readonly PreparedUnit[];
  /** Units whose first page is in the cache. */
  readonly cached: number;
}

export interface PreparedUnit {
  readonly arguments: Arguments;
  /** What varies, as it is sent. */
  readonly varied: Arguments;
}

/** Checks every unit, so that nothing starts that cannot end well. Rejects with `invalid_arguments`. */
export async function prepareUnits(
  deps: CallToolDeps,
  record: CallRecord,
  { dimensions, count, at }: Units,
): Promise<PreparedUnits> {
  const { entry, call } = record;
  const names = dimensions.map(({ name }) => name);
  const base = withPages(entry.tool, withoutOuter(call.arguments));
  const prepare = (args: Arguments, varied?: readonly string[]) =>
    prepareRecorded(deps, {
      ...{ entry, context: record.context, timestampMs: record.timestampMs },
      call: { ...call, arguments: args },
      ...(varied && { varied }),
    });
  const { _over, _dry_run, ...given } = call.arguments;
  const first = await prepare({ ...given, ...base, ...at(0) }, names);
  const units: PreparedUnit[] = [];
  const seen = new Set<string>();
  let cached = 0;
  await forEachUnit(count > MAX_REQUESTS ? 0 : count, async (index) => {
    const args = { ...base, ...at(index) };
    const prepared = await prepare(args);
    if (isCached(deps, record, prepared)) cached++;
    const sent = names.map((name) => [name, prepared.arguments[name] ?? args[name]]);
    const key = JSON.stringify(sent);
    if (seen.has(key)) throw twice(entry.tool.name, sent);
    seen.add(key);
    units.push({ arguments: args, varied: Object.fromEntries(sent) });
  });
  return { first, units, cached };
}

/** Two names of one code would count its rows twice. */
function twice(tool: string, sent: readonly (readonly unknown[])[]): GatewayError {
  const values = sent.map(([name, value]) => `${name}=${String(value)}`).join(', ');
  return invalidArguments(tool, [
    { path: '/_over', message: `asks for ${values} twice, perhaps by two names. Name it once.` },
  ]);
}

const withoutOuter = (args: Arguments): Arguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !OUTER.has(name)));

/** The arguments with the largest pages, and the first of them: few requests, from the first row on. */
function withPages(tool: Tool, args: Arguments): Arguments {
  const { paging, following } = prepareTool(tool);
  if (paging?.kind === 'range') {
    // Without them, the newest rows would come first.
    const ends = [paging.start, paging.end].map((name) => [name, numberOf(tool, name, 'default')]);
    return { ...Object.fromEntries(ends.filter(([, value]) => value !== 0)), ...args };
  }
  const size = paging?.size ?? following?.size;
  if (size === undefined) return args;
  const most = Math.min(numberOf(tool, size, 'maximum'), paging?.maxRows ?? MAX_PAGE_ROWS);
  const rows = Math.max(Math.min(most, MAX_PAGE_ROWS), numberOf(tool, size, 'default'));
  return rows === 0 ? args : { [size]: rows, ...args };
}

/** A number in the schema of an argument; 0 if it is not there. */
function numberOf({ inputSchema }: Tool, name: string, keyword: string): number {
  const value = own(ownObject(ownObject(inputSchema, 'properties'), name), keyword);
  return typeof value === 'number' ? value : 0;
}
