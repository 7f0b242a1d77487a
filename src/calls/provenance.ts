import type { Cause } from '../platform/kernel/cause.ts';
import { memoizeEach } from '../platform/kernel/memo.ts';
import { isoTimeOf } from '../platform/kernel/time.ts';
import type { DataSource } from '../tools/model.ts';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import type { PreparedCall } from './prepare-call.ts';

/** Where the data of a response come from, and what they refer to (docs/contract.md#provenance). */
export interface Provenance {
  readonly source: DataSource;
  /** ISO 8601, UTC: when the upstream was asked. */
  readonly fetchedAt: string;
  readonly ageSeconds: number;
  /** The time to which the data refer, in ISO 8601 and as precise as the upstream says; null if nothing says it. */
  readonly asOf: string | null;
  /** The arguments as they were sent, with defaults, without secrets and fixed ones. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** How many publications the answer lies before the latest, because that had no data; null = none. */
  readonly steppedBack: number | null;
  /** ISO 8601, UTC: when the next publication is due; null if no schedule is known. */
  readonly nextPublication: string | null;
  /** Whether the sandbox made the data up. */
  readonly isSample: boolean;
  /** Why an older response replaces a new one; null if none does. */
  readonly stale: { readonly cause: Cause } | null;
}

/** A response, and the call that it answers: the caller's own, or the same for an earlier publication. */
export interface Answered {
  readonly prepared: PreparedCall;
  readonly response: UpstreamResponse;
  readonly steppedBack: number | null;
  readonly staleCause: Cause | null;
}

/** When the publication after the latest is due, by the name of a computed default; undefined without a schedule. */
export type NextPublication = (
  name: string,
  nowMs: number,
  args: Readonly<Record<string, unknown>>,
) => number | undefined;

export interface Circumstances {
  readonly nowMs: number;
  readonly nextPublication: NextPublication;
  readonly isSample: boolean;
}

export function provenanceOf(
  { prepared, response, steppedBack, staleCause }: Answered,
  circumstances: Circumstances,
): Provenance {
  const { tool, arguments: asked } = prepared;
  const { nowMs, isSample } = circumstances;
  return {
    source: tool.source,
    fetchedAt: response.fetchedAt,
    ageSeconds: Math.max(0, Math.round((nowMs - response.fetchedAtMs) / 1000)),
    asOf: asOf(tool.source, asked, response),
    asked,
    steppedBack,
    nextPublication: nextPublicationOf(prepared, circumstances),
    isSample,
    stale: staleCause && { cause: staleCause },
  };
}

function nextPublicationOf(
  { ready, arguments: args }: PreparedCall,
  { nowMs, nextPublication }: Circumstances,
): string | null {
  for (const { expression } of ready.computed) {
    const dueMs = nextPublication(expression, nowMs, args);
    if (dueMs !== undefined) return new Date(dueMs).toISOString();
  }
  return null;
}

function asOf(
  { asOf: rule }: DataSource,
  asked: Provenance['asked'],
  response: UpstreamResponse,
): string | null {
  switch (rule.kind) {
    case 'payload':
      return response.asOf ?? null;
    case 'arguments':
      return isoTimeOf(rule.names.map((name) => String(asked[name] ?? '')).join(''), rule.offset);
    case 'fetch':
      return response.fetchedAt;
    case 'unknown':
      return null;
  }
}

/** The members of a source never change, and are encoded once: to bytes, because every response has them. */
const encodeSource = memoizeEach((source: DataSource): Buffer => {
  const { publisher, dataset, docUrl, licence, attribution } = source;
  const members = {
    publisher,
    dataset,
    docUrl,
    licence: licence.code,
    licenceUrl: licence.url,
    attribution,
  };
  return Buffer.from(JSON.stringify(members).slice(0, -1));
});

/** The JSON of a provenance, in two pieces. */
export function encodeProvenance(provenance: Provenance): [Buffer, string] {
  const { source, fetchedAt, ageSeconds, asOf, asked, steppedBack, nextPublication } = provenance;
  const facts = { fetchedAt, ageSeconds, asOf, asked, steppedBack, nextPublication };
  const { stale, isSample } = provenance;
  const rare = (stale || isSample) && {
    ...(stale && { stale }),
    ...(isSample && { sample: true }),
  };
  // Nearly every response has neither, and needs no copy.
  const all = rare ? { ...facts, ...rare } : facts;
  return [encodeSource(source), `,${JSON.stringify(all).slice(1)}`];
}
