import { GatewayError } from '../../platform/kernel/error.ts';
import { coalesce } from '../../platform/kernel/memo.ts';
import type { ShownColumn } from '../view/table.ts';
import { decodePiece, encodeLine, encodePiece, PIECE_CHARACTERS, type Row } from './pieces.ts';
import { openResultKey, type ResultKey } from './result-key.ts';
import type { ResultRoomDeps } from './result-room.ts';
import { createResultRows, type ResultRows, type StoredResult } from './result-rows.ts';

/** A whole answer that is kept for an hour (docs/contract.md#files-of-answers). */
export interface ResultFile {
  readonly id: string;
  readonly tenantId: string;
  /** The name of the tool. */
  readonly tool: string;
  /** Of the file, without its extension. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  readonly expiresAtMs: number;
}

/** Whose result it is, and what it is called. */
export interface ResultOwner {
  readonly tenantId: string;
  readonly tool: string;
  /** Of the file, without its extension; by default, the name of the tool. */
  readonly name?: string;
  /** What the rows answer: the same question has the same id. Without it, the id is random. */
  readonly question?: string;
}

/** Writes a result as its rows arrive, so that memory does not grow with them. */
export interface ResultWriter {
  /** Rows may be shorter than the columns. Wait for one call before the next. Rejects if there is no room, or no database. */
  append(rows: readonly Row[]): Promise<void>;
  finish(columns: readonly Pick<ShownColumn, 'name'>[]): Promise<ResultFile>;
  /** Deletes what was written. Never rejects. */
  abort(): Promise<void>;
}

export interface ResultStoreDeps extends ResultRoomDeps {
  readonly onError: (error: unknown) => void;
}

export type ResultStore = ReturnType<typeof createResultStore>;

const SWEEP_MS = 60_000;

/** Keeps whole answers for an hour in the database, so that any replica serves them. */
export function createResultStore(deps: ResultStoreDeps) {
  const { db, onError } = deps;
  const rows = createResultRows(deps);
  const key = openResultKey(db);
  const sweep = coalesce(rows.sweep);
  const timer = setInterval(() => void sweep.run().catch(onError), SWEEP_MS).unref();

  return {
    open: (owner: ResultOwner): ResultWriter => createWriter({ rows, key, onError }, owner),

    /** The result that answers a question already, which is then kept for another hour. */
    async kept(tenantId: string, question: string): Promise<ResultFile | undefined> {
      const row = await rows.renew((await key()).idFor(tenantId, question));
      return row && toFile(row);
    },

    /**
     * Finds a result of a tenant, or for null, by an id whose signature was checked. Rejects with `not_found` for an id that the
     * gateway did not make for this tenant, and with `gone` if the result has expired or had to make room.
     */
    async find(id: string, tenantId: string | null): Promise<ResultFile> {
      if (tenantId !== null && !(await key()).isIdOf(id, tenantId)) {
        throw new GatewayError('not_found', 'There is no such file.');
      }
      const row = await rows.find(id);
      if (!row) throw gone();
      return toFile(row);
    },

    /** The rows in batches, each with a cell for every column. Rejects with `gone` if the result goes meanwhile. */
    read: (file: ResultFile): AsyncIterable<readonly Row[]> => readRows(rows, file),

    /** The query of an address that opens a file without an API key, until it expires. */
    async sign({ id, expiresAtMs }: ResultFile): Promise<string> {
      const expires = String(Math.floor(expiresAtMs / 1000));
      return `expires=${expires}&sig=${(await key()).sign(id, expires)}`;
    },

    /** Rejects with `not_found` for a signature that the gateway did not make, and with `gone` after its time. */
    async checkSignature(id: string, expires: string, signature: string): Promise<void> {
      if (!(await key()).isSigned(id, expires, signature)) {
        throw new GatewayError('not_found', 'There is no such file.');
      }
      if (Number(expires) * 1000 <= deps.clock.now()) throw gone();
    },

    close: async (): Promise<void> => {
      clearInterval(timer);
      await sweep.last()?.catch(() => undefined);
    },
  };
}

const gone = (): GatewayError =>
  new GatewayError('gone', 'This file is no longer kept. Call the tool again for a new one.');

const toFile = (row: StoredResult): ResultFile => ({
  id: row.id,
  tenantId: row.tenant_id,
  tool: row.tool,
  name: row.file_name,
  columns: JSON.parse(row.columns),
  rows: Number(row.row_count),
  expiresAtMs: Number(row.expires_at_ms),
});

interface WriterDeps {
  readonly rows: ResultRows;
  readonly key: () => Promise<ResultKey>;
  readonly onError: (error: unknown) => void;
}

function createWriter({ rows, key, onError }: WriterDeps, owner: ResultOwner): ResultWriter {
  const { tenantId, tool, name = tool, question } = owner;
  let id: string | undefined;
  let pieces = 0;
  let count = 0;
  let lines: string[] = [];
  let characters = 0;

  /** Another process may be writing the answer to the same question. */
  async function begin(): Promise<string> {
    const { idFor, newId } = await key();
    const facts = { tenantId, tool, name };
    const known = question === undefined ? newId(tenantId) : idFor(tenantId, question);
    if (await rows.begin({ id: known, ...facts })) return known;
    const another = newId(tenantId);
    await rows.begin({ id: another, ...facts });
    return another;
  }

  async function flush(): Promise<string> {
    id ??= await begin();
    if (lines.length === 0) return id;
    const piece = encodePiece(lines);
    lines = [];
    characters = 0;
    await rows.addPiece(id, pieces++, await piece);
    return id;
  }

  return {
    async append(added) {
      for (const row of added) {
        const line = encodeLine(row);
        lines.push(line);
        count++;
        characters += line.length;
        if (characters >= PIECE_CHARACTERS) await flush();
      }
    },
    async finish(columns) {
      const names = JSON.stringify(columns.map((column) => column.name));
      const row = await rows.finish(await flush(), names, count);
      if (!row) throw gone();
      return toFile(row);
    },
    async abort() {
      lines = [];
      if (id !== undefined) await rows.drop(id).catch(onError);
    },
  };
}

async function* readRows(
  rows: ResultRows,
  { id, columns, rows: expected }: ResultFile,
): AsyncGenerator<readonly Row[]> {
  let count = 0;
  for (let n = 0; count < expected; n++) {
    const piece = await rows.readPiece(id, n);
    if (!piece) throw gone();
    for await (const batch of decodePiece(piece)) {
      count += batch.length;
      yield batch.map((row) => padded(row, columns.length));
    }
  }
}

const padded = (row: Row, length: number): Row =>
  row.length < length ? [...row, ...Array<string>(length - row.length).fill('')] : row;
