import type { ParameterLocation } from '../../tools/model.ts';

/** A secret that an answer must not repeat, and where its tool sends it. Plain data: other threads get it too. */
export interface HiddenSecret {
  readonly value: string;
  /** Name of the parameter or header. */
  readonly name: string;
  readonly in: ParameterLocation;
  /** Sent before the value, as in `Bearer `; the value after `Basic ` is sent in base64 (RFC 7617). */
  readonly prefix: string;
}

export type HiddenSecrets = readonly HiddenSecret[];

/** A shorter value may be part of any word; it is hidden only where it stands as its parameter's whole value. */
const MIN_CHARACTERS = 8;

/** Is the value too short to be found wherever it stands? */
export const isShortSecret = (value: string): boolean => value.trim().length < MIN_CHARACTERS;
