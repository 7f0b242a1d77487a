import { GatewayError } from '../../platform/kernel/error.ts';

const MAX_LENGTH = 40;
const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Throws GatewayError `invalid_arguments` unless the text can identify a tenant in addresses and tool ids. */
export function assertSlug(slug: string): void {
  if (slug.length <= MAX_LENGTH && SLUG.test(slug)) return;
  throw new GatewayError(
    'invalid_arguments',
    `A tenant's slug is 1 to ${MAX_LENGTH} lower-case letters and digits, with single hyphens between them, such as "my-team".`,
  );
}
