import { Type } from 'typebox';
import {
  MAX_ALLOWED_TOOL,
  MAX_ALLOWED_TOOLS,
  MAX_DAILY_LIMIT,
  MAX_KEY_DESCRIPTION,
  MAX_NAME,
  MAX_RATE_LIMIT,
} from '../../access/keys/check-api-key.ts';
import type { KeyChange } from '../../access/keys/key-columns.ts';
import { GatewayError } from '../../platform/kernel/error.ts';

export const KEY_ID = Type.String({ maxLength: 100 });
export const REVISION = Type.Integer({ minimum: 1 });

/** Null = all tools of the tenant. */
export const ALLOWED_TOOLS = Type.Union([
  Type.Array(Type.String({ minLength: 1, maxLength: MAX_ALLOWED_TOOL }), {
    maxItems: MAX_ALLOWED_TOOLS,
  }),
  Type.Null(),
]);

const NAME = Type.String({ minLength: 1, maxLength: MAX_NAME });

const LIMIT = (maximum: number) =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum }), Type.Null()]));

const CHOSEN = {
  description: Type.Optional(
    Type.Union([Type.String({ maxLength: MAX_KEY_DESCRIPTION }), Type.Null()]),
  ),
  allowedTools: Type.Optional(ALLOWED_TOOLS),
  mode: Type.Optional(Type.Union([Type.Literal('search'), Type.Null()])),
  rateLimitPerMinute: LIMIT(MAX_RATE_LIMIT),
  dailyLimit: LIMIT(MAX_DAILY_LIMIT),
  expiresAt: Type.Optional(
    Type.Union([Type.String({ format: 'date-time', maxLength: 40 }), Type.Null()]),
  ),
};

/** What is chosen for a new key. */
export const NEW_KEY = { name: NAME, ...CHOSEN };
/** What is changed; absent members keep their value. */
export const KEY_CHANGE = { name: Type.Optional(NAME), ...CHOSEN };

interface ChosenInput extends Omit<KeyChange, 'expiresAtMs'> {
  readonly expiresAt?: string | null;
}

/** The members that are chosen. Throws `invalid_arguments` for an expiry that is over. */
export function keyChangeOf(
  { name, description, allowedTools, mode, rateLimitPerMinute, dailyLimit, expiresAt }: ChosenInput,
  nowMs: number,
): KeyChange {
  const expiresAtMs = typeof expiresAt === 'string' ? Date.parse(expiresAt) : expiresAt;
  if (typeof expiresAtMs === 'number' && !(expiresAtMs > nowMs)) {
    throw new GatewayError('invalid_arguments', 'The expiry is in the past. Choose a later one.');
  }
  return { name, description, allowedTools, mode, rateLimitPerMinute, dailyLimit, expiresAtMs };
}
