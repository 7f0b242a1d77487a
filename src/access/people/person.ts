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
