import type { Settings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Operation } from '../../platform/input/operation.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Closeable } from '../../platform/kernel/closing.ts';
import type { Gateway } from '../shared/gateway-request.ts';
import type { DatabaseAccess } from '../shared/with-database.ts';

/** Operations by method and path. */
export type OperationTable = Readonly<
  // biome-ignore lint/suspicious/noExplicitAny: operations of every context, input and output.
  Record<string, Operation<any, any, any>>
>;

/** The operations that a group of commands runs. */
export interface Feature<Table extends OperationTable> {
  /** Read as they are declared, and never run. */
  readonly declared: Table;
  /** On the database of this machine. */
  readonly open: (context: LocalContext) => Awaitable<Table>;
  /** The slug of the tenant that the input belongs to: on this machine, an id needs no `--tenant`. */
  readonly tenantOf?: (context: LocalContext, input: object) => Promise<string>;
}

/** What operations on this machine work with. */
export interface LocalContext {
  readonly database: Database;
  readonly settings: Settings;
  readonly access: DatabaseAccess;
  /** What stays open until the command ends. */
  readonly parts: Closeable[];
}

export type PlaceIn<Table> = keyof Table & string;

/** Without `tenant`, that of the id in the path is meant on this machine, and that of the API key elsewhere. */
export type InputOf<Table extends OperationTable, P extends PlaceIn<Table>> = Parameters<
  Table[P]['handle']
>[1] &
  (P extends `${string}/:tenant${string}` ? { readonly tenant?: string | undefined } : unknown);

export type OutputOf<Table extends OperationTable, P extends PlaceIn<Table>> = Awaited<
  ReturnType<Table[P]['handle']>
>;

/** How either way runs an operation. The declarations say what its input and its output are. */
// biome-ignore lint/suspicious/noExplicitAny: of any operation.
export type Run = (place: string, input: Readonly<Record<string, unknown>>) => Promise<any>;

/** Runs operations for a command: on the database of this machine, or on a running gateway. */
export interface OperationRunner<Table extends OperationTable> {
  readonly run: <P extends PlaceIn<Table>>(
    place: P,
    input: InputOf<Table, P>,
  ) => Promise<OutputOf<Table, P>>;
  /** For what no operation does. */
  readonly either: <T>(ways: {
    readonly here: (context: LocalContext) => T;
    readonly there: (gateway: Gateway) => T;
  }) => T;
}
