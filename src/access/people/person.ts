import { randomInt } from 'node:crypto';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';

/** What a person may do in a tenant: `admin` changes things, `viewer` sees them and runs tools. */
export type MemberRole = 'admin' | 'viewer';

export interface Membership {
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly tenantName: string;
  readonly role: MemberRole;
}

/** Who signs in to the dashboard. */
export interface Person {
  /** `person_` + ULID. */
  readonly id: string;
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  /** Administers the gateway as a whole, and every tenant. */
  readonly isOperator: boolean;
  /** Sorted by slug. */
  readonly memberships: readonly Membership[];
}

/** A person with the session that a request shows. */
export interface Identity {
  readonly person: Person;
  readonly sessionId: string;
}

/** An identity with the `Set-Cookie` values that prolong its session, if it is due. */
export interface IdentifiedSession extends Identity {
  readonly cookies?: readonly string[];
}

/** Where a person signs in from. */
export interface PersonClient {
  /** As the gateway trusts it. */
  readonly clientIp: string;
  readonly userAgent: string | undefined;
}

const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 128;
/** RFC 5321, section 4.5.3.1.3: a path has 256 octets, of which two are brackets. */
const MAX_EMAIL_LENGTH = 254;
export const MAX_NAME_LENGTH = 100;

const EMAIL = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const HIDDEN = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u;

/** The address in lower case, without spaces around it. Throws `invalid_arguments` for text that is not an e-mail address. */
export function normalEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email)) return email;
  throw new GatewayError(
    'invalid_arguments',
    `Enter an e-mail address such as name@example.com, at most ${MAX_EMAIL_LENGTH} characters.`,
  );
}

/** The name without spaces around it. Throws `invalid_arguments` if it is empty, too long or has invisible characters. */
export function normalName(text: string): string {
  const name = text.trim();
  if (name !== '' && name.length <= MAX_NAME_LENGTH && !HIDDEN.test(name)) return name;
  throw new GatewayError(
    'invalid_arguments',
    `Enter a name of 1 to ${MAX_NAME_LENGTH} characters, without control characters.`,
  );
}

/** Throws `invalid_arguments` for a new password that is too short or too long. */
export function assertPassword(password: Secret): void {
  const { length } = password.reveal();
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH) return;
  throw new GatewayError(
    'invalid_arguments',
    `Choose a password of ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`,
  );
}

/** Without characters that are easily confused when someone copies a password by hand. */
const ALPHABET = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 4;
const GROUP_LENGTH = 6;

/** A password with 139 random bits, in groups that are easy to copy. */
export function newPassword(): Secret {
  const letter = () => ALPHABET.charAt(randomInt(ALPHABET.length));
  const group = () => Array.from({ length: GROUP_LENGTH }, letter).join('');
  return new Secret(Array.from({ length: GROUPS }, group).join('-'));
}
