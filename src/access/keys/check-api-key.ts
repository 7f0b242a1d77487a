import { GatewayError } from '../../platform/kernel/error.ts';
import type { KeyChange } from './key-columns.ts';

export const MAX_NAME = 100;
export const MAX_KEY_DESCRIPTION = 500;
/** Entries of a list of allowed tools, and characters of each: an id of a registered tool fits. */
export const MAX_ALLOWED_TOOLS = 200;
export const MAX_ALLOWED_TOOL = 200;
export const MAX_RATE_LIMIT = 1_000_000;
export const MAX_DAILY_LIMIT = 1_000_000_000;

/** Throws `invalid_arguments` if a member is not within its bounds. */
export function checkApiKey(key: KeyChange): void {
  const { name, description, allowedTools, rateLimitPerMinute, dailyLimit } = key;
  if (name !== undefined && (name.trim() === '' || name.length > MAX_NAME)) {
    throw invalid(`The name of an API key has 1 to ${MAX_NAME} characters.`);
  }
  if (description && description.length > MAX_KEY_DESCRIPTION) {
    throw invalid(`The description of an API key has at most ${MAX_KEY_DESCRIPTION} characters.`);
  }
  if (allowedTools) checkAllowedTools(allowedTools);
  checkLimit('rate limit', rateLimitPerMinute, MAX_RATE_LIMIT);
  checkLimit('daily limit', dailyLimit, MAX_DAILY_LIMIT);
}

function checkAllowedTools(tools: readonly string[]): void {
  if (tools.length > MAX_ALLOWED_TOOLS) {
    throw invalid(
      `A list of allowed tools has at most ${MAX_ALLOWED_TOOLS} entries. Use categories or patterns such as kma_*.`,
    );
  }
  if (tools.some((tool) => tool === '' || tool.length > MAX_ALLOWED_TOOL)) {
    throw invalid(`An entry of allowed tools has 1 to ${MAX_ALLOWED_TOOL} characters.`);
  }
}

function checkLimit(what: string, limit: number | null | undefined, max: number): void {
  if (limit === null || limit === undefined) return;
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= max) return;
  throw invalid(
    `The ${what} of an API key is a whole number from 1 to ${max.toLocaleString('en')}. Omit it for no limit of its own.`,
  );
}

const invalid = (message: string): GatewayError => new GatewayError('invalid_arguments', message);
