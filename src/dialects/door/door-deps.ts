import type { Caller } from '../../access/keys/caller.ts';
import type { CallTool } from '../../calls/call-tool.ts';
import type { ListTools } from '../../calls/list-tools.ts';
import type { CallOutcome } from '../../calls/tool-call.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { CodeFinder } from './code-finder.ts';

export interface DoorDeps {
  readonly listTools: ListTools;
  readonly callTool: CallTool;
  /** Calls an entry that is not in the catalog. */
  readonly callEntry: (entry: CatalogEntry, ...call: Parameters<CallTool>) => Promise<CallOutcome>;
  readonly find: (caller: Caller, name: string) => CatalogEntry | undefined;
  readonly codes: CodeFinder;
}

/** What the own tools work with. */
export interface OwnToolDeps extends DoorDeps {
  /** Calls `find_code`. */
  readonly callCode: CallTool;
  /** A tool of the catalog that the caller may use, or `find_code`. */
  readonly findAny: DoorDeps['find'];
}
