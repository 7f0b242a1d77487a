import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import { createLru } from '../../platform/kernel/memo.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { ALGORITHMS } from './oauth-addresses.ts';

/** Fetches a JSON document, without following redirects. Rejects with a GatewayError. */
export type FetchJson = (url: string, maxBytes: number) => Promise<unknown>;

export const MAX_KEY_SET_BYTES = 64 * 1024;
export const MAX_KEY_SETS = 100;
const FRESH_MS = 10 * 60_000;
/** A key that is not in the set may be new; a flood of unknown ones must not reach the server. */
const REFETCH_MS = 30_000;

const CLOCK_TOLERANCE_SECONDS = 60;

export interface ExpectedClaims {
  readonly issuer: string | string[];
  readonly audience: string | string[];
  readonly subject?: string;
}

export type KeySets = ReturnType<typeof createKeySets>;

/** Checks signatures with keys that others publish. */
export function createKeySets({ fetchJson, clock }: { fetchJson: FetchJson; clock: Clock }) {
  const known = createLru<{ set: JSONWebKeySet; fetchedMs: number }>(MAX_KEY_SETS);
  const load = async (uri: string, maxAgeMs: number): Promise<JSONWebKeySet> => {
    const found = known.get(uri);
    if (found && found.fetchedMs + maxAgeMs > clock.now()) return found.set;
    const fetched = await fetchJson(uri, MAX_KEY_SET_BYTES);
    if (!isObject(fetched) || !Array.isArray(fetched['keys'])) throw new errors.JWKSInvalid();
    const set = { keys: fetched['keys'] };
    known.set(uri, { set, fetchedMs: clock.now() });
    return set;
  };
  const check = (
    token: string,
    set: JSONWebKeySet,
    expected: ExpectedClaims,
  ): Promise<JWTVerifyResult> =>
    jwtVerify(token, createLocalJWKSet(set), {
      ...expected,
      algorithms: [...ALGORITHMS],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(clock.now()),
      requiredClaims: ['exp'],
    });
  return {
    /**
     * The header and the claims of a token that is signed with a key published at this address. Rejects with an error of `jose`, or with a
     * GatewayError while the keys are unavailable.
     */
    verify: async (
      token: string,
      uri: string,
      expected: ExpectedClaims,
    ): Promise<JWTVerifyResult> => {
      try {
        return await check(token, await load(uri, FRESH_MS), expected);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return check(token, await load(uri, REFETCH_MS), expected);
      }
    },
  };
}
