import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { type Kysely, sql } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { coalesce } from '../../platform/kernel/memo.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { UpstreamResponse } from '../payload/upstream-response.ts';
import { decodeEntry, encodeEntry } from './entry-codec.ts';

/** What a good response answers, and for how long it may replace a failure. */
export interface LastGoodTerms {
  /** The question: a cache key, or for what is always asked of the latest publication, one that stays the same. */
  readonly question: string;
  /** The time that the computed arguments are of, in milliseconds since the epoch. */
  readonly askedMs: number;
  /** The tenant whose key is sent; null without one. */
  readonly tenantId: string | null;
  /** The tenant that asks. Of what all tenants keep, each has a share. */
  readonly askedBy: string;
  /** From the fetch. */
  readonly seconds: number;
}

/** An earlier successful response. */
export interface LastGood {
  readonly response: UpstreamResponse;
  /** As in the terms under which it was kept. */
  readonly askedMs: number;
}

export interface LastGoodDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** Of all answers, compressed. */
  readonly maxBytes: number;
  /** Of one answer, before it is compressed. */
  readonly maxAnswerBytes: number;
  readonly onError: (error: unknown) => void;
}

export type LastGoodStore = ReturnType<typeof createLastGoodStore>;

/** Responses within this time are written together. */
const GATHER_MS = 500;
/** What the database refused is written later. */
const RETRY_MS = 5000;
/**
 * Responses that are written together. No quota of a day allows more for long; under the load of providers without one,
 * writing each would double the cost of a call, and each commit writes a page or two for every response.
 */
export const MAX_BATCH = 16;
/** Responses that wait to be written, half of them of one tenant. Beyond either, those to other questions are not kept. */
export const MAX_WAITING = 2000;
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** A tenant with more than this part of all that is kept gives way before the others. */
const PART_OF_TENANT = 1 / 2;
/** No response is kept for longer (docs/presets.md). */
const MAX_AGE_MS = 90 * 86_400_000;
/** How exactly it is known when a response was asked for last. */
const TOUCH_MS = 3_600_000;
/** What a row costs beside its answer: its names, its place in the indexes. */
const ROW_BYTES = 300;
/** After so much of the bound has been written, what is too much is deleted. */
const TRIM_PART = 1 / 32;
const TRIM_ROWS = 500;

const compress = promisify(deflateRaw);
const decompress = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);
/** Beside its answer, an entry has an address and some facts. */
const MAX_HEADER_BYTES = 1024 * 1024;

interface Waiting {
  readonly terms: LastGoodTerms;
  readonly response: UpstreamResponse;
}

/**
 * Good responses in the database, which replace failures across restarts (docs/decisions/0026-provider-keys.md). They are
 * written behind, at most 16 each half second: what a killed process has received within the last second is lost, or more under
 * heavy load. Nothing but `forget` rejects.
 */
export function createLastGoodStore(deps: LastGoodDeps) {
  const { db, clock, maxBytes, maxAnswerBytes, onError } = deps;
  const waiting = createWaiting();
  const touched = new Set<string>();
  const rows = createRows(deps);
  let timer: NodeJS.Timeout | undefined;
  let untrimmedBytes = Number.POSITIVE_INFINITY;

  const flush = coalesce(async () => {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting.take();
    try {
      if (batch.length > 0) untrimmedBytes += await rows.write(batch);
    } catch (error) {
      onError(error);
      waiting.putBack(batch);
      schedule(RETRY_MS);
      return;
    }
    if (waiting.size() > 0) schedule();
    const asked = [...touched];
    touched.clear();
    await rows.touch(asked);
    if (untrimmedBytes < maxBytes * TRIM_PART) return;
    untrimmedBytes = 0;
    await trim(deps);
  });

  function schedule(afterMs = GATHER_MS): void {
    timer ??= setTimeout(() => void flush.run().catch(onError), afterMs).unref();
  }

  async function read(terms: LastGoodTerms): Promise<LastGood | undefined> {
    const nowMs = clock.now();
    const isYoung = (fetchedMs: number): boolean => nowMs - fetchedMs < terms.seconds * 1000;
    const known = waiting.get(terms.question);
    if (known && isYoung(known.response.fetchedAtMs))
      return { response: known.response, askedMs: known.terms.askedMs };
    const row = await rows.read(hashOf(terms.question));
    if (!row || !isYoung(row.fetched_ms)) return undefined;
    if (nowMs - row.used_ms > TOUCH_MS && touched.size < MAX_WAITING) {
      touched.add(row.question);
      schedule();
    }
    const maxOutputLength = maxAnswerBytes + MAX_HEADER_BYTES;
    const entry = decodeEntry(await decompress(Buffer.from(row.body), { maxOutputLength }));
    return entry && { response: entry.response, askedMs: row.asked_ms };
  }

  return {
    /** Keeps a response. Returns at once. */
    remember(terms: LastGoodTerms, response: UpstreamResponse): void {
      if (terms.seconds <= 0 || response.json.length > Math.min(maxAnswerBytes, maxBytes)) return;
      waiting.put({ terms, response });
      schedule();
    },
    /** The last good response to the same question; undefined if none is kept, it is too old, or the database is away. */
    find: async (terms: LastGoodTerms): Promise<LastGood | undefined> => {
      if (terms.seconds <= 0) return undefined;
      try {
        return await read(terms);
      } catch (error) {
        onError(error);
        return undefined;
      }
    },
    /** Deletes what was received with a tenant's keys. Rejects with `unavailable` while the database is away. */
    async forget(tenantId: string): Promise<void> {
      waiting.drop(tenantId);
      await flush.last()?.catch(() => undefined);
      const own = db.deleteFrom('last_good').where('tenant_id', '=', tenantId);
      await runQuery(() => own.execute());
    },
    /** Writes what waits, if the database is available. */
    async close(): Promise<void> {
      for (let left = Number.POSITIVE_INFINITY; waiting.size() < left; ) {
        left = waiting.size();
        await flush.run().catch(onError);
      }
      clearTimeout(timer);
    },
  };
}

/** Responses that wait to be written, the newest to each question. */
function createWaiting() {
  const byQuestion = new Map<string, Waiting>();
  const all = { count: 0, bytes: 0 };
  const byTenant = new Map<string, typeof all>();

  /** Counts a response for its tenant and for all. */
  function count({ terms: { askedBy }, response }: Waiting, sign: 1 | -1): void {
    const own = byTenant.get(askedBy) ?? { count: 0, bytes: 0 };
    for (const each of [all, own]) {
      each.count += sign;
      each.bytes += sign * response.json.length;
    }
    if (own.count > 0) byTenant.set(askedBy, own);
    else byTenant.delete(askedBy);
  }

  function remove(question: string): void {
    const known = byQuestion.get(question);
    if (known && byQuestion.delete(question)) count(known, -1);
  }

  function hasRoom({ terms: { askedBy }, response }: Waiting): boolean {
    const fits = (held: typeof all | undefined, part: number): boolean =>
      !held?.count ||
      (held.count < part * MAX_WAITING &&
        held.bytes + response.json.length <= part * MAX_WAITING_BYTES);
    return fits(all, 1) && fits(byTenant.get(askedBy), PART_OF_TENANT);
  }

  function put(each: Waiting): void {
    const { question } = each.terms;
    // An older response to the question must not outlive this one.
    remove(question);
    if (!hasRoom(each)) return;
    byQuestion.set(question, each);
    count(each, 1);
  }

  return {
    get: (question: string) => byQuestion.get(question),
    size: () => byQuestion.size,
    put,
    take(): Waiting[] {
      const batch = [...byQuestion.values().take(MAX_BATCH)];
      for (const { terms } of batch) remove(terms.question);
      return batch;
    },
    /** What has arrived meanwhile is newer. */
    putBack(batch: readonly Waiting[]): void {
      for (const each of batch) if (!byQuestion.has(each.terms.question)) put(each);
    },
    drop(tenantId: string): void {
      for (const { terms } of byQuestion.values()) {
        if (terms.tenantId === tenantId) remove(terms.question);
      }
    },
  };
}

/** The rows of the database. Every method rejects with `unavailable` while it is away. */
function createRows({ db, clock }: LastGoodDeps) {
  async function rowOf({ terms, response }: Waiting) {
    const entry = encodeEntry({ response, lifetimeMs: 0, staleMs: 0 });
    const body = await compress(entry, { level: 1 });
    const nowMs = clock.now();
    return {
      question: hashOf(terms.question),
      tenant_id: terms.tenantId,
      asked_by: terms.askedBy,
      asked_ms: Math.round(terms.askedMs),
      // The clock of another replica may be ahead.
      fetched_ms: Math.round(Math.min(response.fetchedAtMs, nowMs)),
      used_ms: Math.round(nowMs),
      bytes: body.length + ROW_BYTES,
      body,
    };
  }

  return {
    /** Resolves with the bytes written. */
    async write(batch: readonly Waiting[]): Promise<number> {
      const made = await Promise.all(batch.map(rowOf));
      // Every process locks rows in the same order.
      made.sort((a, b) => (a.question < b.question ? -1 : 1));
      // It stays in the share of the tenant that asked first: no other can take it over, and then let it go.
      const names = ['tenant_id', 'asked_ms', 'fetched_ms', 'used_ms', 'bytes', 'body'] as const;
      const newer = Object.fromEntries(names.map((name) => [name, sql.ref(`excluded.${name}`)]));
      await runQuery(() =>
        db
          .insertInto('last_good')
          .values(made)
          .onConflict((conflict) => conflict.column('question').doUpdateSet(newer))
          .execute(),
      );
      return made.reduce((sum, { bytes }) => sum + bytes, 0);
    },
    read: (question: string) =>
      runQuery(() =>
        db
          .selectFrom('last_good')
          .select(['question', 'asked_ms', 'fetched_ms', 'used_ms', 'body'])
          .where('question', '=', question)
          .executeTakeFirst(),
      ),
    async touch(questions: readonly string[]): Promise<void> {
      const now = { used_ms: Math.round(clock.now()) };
      // Each by itself: two processes that lock several rows might wait for one another.
      for (const question of questions) {
        const row = db.updateTable('last_good').set(now).where('question', '=', question);
        await runQuery(() => row.execute());
      }
    },
  };
}

/**
 * Deletes what is too old, and beyond the bound what was asked for least recently: of a tenant that has more than its share,
 * as far as that helps, then of all.
 */
async function trim({ db, clock, maxBytes }: LastGoodDeps): Promise<void> {
  const beforeMs = Math.round(clock.now() - MAX_AGE_MS);
  const old = db.deleteFrom('last_good').where('fetched_ms', '<', beforeMs);
  await runQuery(() => old.execute());
  const sums = await runQuery(() =>
    db
      .selectFrom('last_good')
      .select(({ fn }) => ['asked_by as tenant', fn.sum<number>('bytes').as('bytes')])
      .groupBy('asked_by')
      .execute(),
  );
  let over = sums.reduce((sum, { bytes }) => sum + Number(bytes), 0) - maxBytes;
  for (const { tenant, bytes } of sums) {
    const beyondShare = Number(bytes) - PART_OF_TENANT * maxBytes;
    over -= await deleteOldest(db, Math.min(over, beyondShare), tenant);
  }
  await deleteOldest(db, over);
}

/** Deletes at least so many bytes, of one tenant or of all. Resolves with the bytes deleted. */
async function deleteOldest(
  db: LastGoodDeps['db'],
  wanted: number,
  tenant?: string,
): Promise<number> {
  const oldest = db
    .selectFrom('last_good')
    .select(['question', 'bytes'])
    .$if(tenant !== undefined, (query) => query.where('asked_by', '=', tenant ?? ''))
    .orderBy('used_ms')
    .limit(TRIM_ROWS);
  let freed = 0;
  while (freed < wanted) {
    const found = await runQuery(() => oldest.execute());
    const doomed: string[] = [];
    for (const { question, bytes } of found) {
      if (freed >= wanted) break;
      doomed.push(question);
      freed += Number(bytes);
    }
    if (doomed.length === 0) break;
    const gone = db.deleteFrom('last_good').where('question', 'in', doomed);
    await runQuery(() => gone.execute());
  }
  return freed;
}

const hashOf = (question: string): string =>
  createHash('sha256').update(question).digest('base64url');
