import { GatewayError } from './error.ts';

/**
 * Bytes below which nothing is charged to the budget: small bodies are bounded by the number of connections and of
 * running calls, and a normal call must not pay for the accounting.
 */
export const SMALL_BYTES = 16 * 1024;

/** Seconds after which a refused caller may retry: large bodies leave memory about as fast as they are read. */
const RETRY_AFTER_SECONDS = 1;

/** The share of the budget that one tenant may hold, so that the others can always be served. */
const TENANT_SHARE = 0.5;

export interface ByteBudgetStats {
  readonly limitBytes: number;
  readonly usedBytes: number;
  /** Requests and responses refused since the start because they did not fit. */
  readonly refused: number;
}

/** One account for all large bodies and responses in memory, with a share for each tenant. */
export interface ByteBudget {
  open(tenantId: string): MemoryHold;
  stats(): ByteBudgetStats;
}

/** The budget as seen by one body that is being read. */
export interface ByteSource {
  /** Takes the bytes. Returns false, and takes nothing, when they do not fit. */
  take(bytes: number): boolean;
  /** Returns some of the bytes taken. */
  give(bytes: number): void;
}

/** What one request, response or stream holds of the budget. A closed one takes nothing: its owner no longer exists. */
export interface MemoryHold extends ByteSource {
  /** Takes the bytes of a buffer. However many hold it, it counts once: one response may have many readers. */
  hold(buffer: Buffer): boolean;
  /** Opens another hold of the same tenant, which must be closed separately. */
  fork(): MemoryHold;
  /** Returns everything. May be called twice. */
  close(): void;
}

/** A buffer that is held, and by how many. The tenant of the first holder is charged for it until the last lets go. */
interface SharedBuffer {
  readonly chargedTo: string;
  holders: number;
}

/** The error for a body that does not fit. */
export const overBudget = (): GatewayError =>
  new GatewayError(
    'overloaded',
    'The gateway has no memory left for a request or a response of this size. Retry in a moment, or request less data.',
    { details: { retryAfterSeconds: RETRY_AFTER_SECONDS } },
  );

/** `limitBytes` is for the whole process. One tenant may hold half of it. */
export function createByteBudget(limitBytes: number): ByteBudget {
  const account = new Account(limitBytes);
  return {
    open: (tenantId) => new AccountHold(account, tenantId),
    stats: () => ({ limitBytes, usedBytes: account.usedBytes, refused: account.refused }),
  };
}

class Account {
  usedBytes = 0;
  refused = 0;
  readonly #limitBytes: number;
  readonly #tenants = new Map<string, number>();
  readonly #shared = new Map<Buffer, SharedBuffer>();

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  usedBy(tenantId: string): number {
    return this.#tenants.get(tenantId) ?? 0;
  }

  take(tenantId: string, bytes: number): boolean {
    const ofTenant = this.usedBy(tenantId) + bytes;
    const fits =
      this.usedBytes + bytes <= this.#limitBytes && ofTenant <= this.#limitBytes * TENANT_SHARE;
    if (!fits) {
      this.refused++;
      return false;
    }
    this.usedBytes += bytes;
    this.#tenants.set(tenantId, ofTenant);
    return true;
  }

  give(tenantId: string, bytes: number): void {
    this.usedBytes -= bytes;
    const ofTenant = this.usedBy(tenantId) - bytes;
    if (ofTenant > 0) this.#tenants.set(tenantId, ofTenant);
    else this.#tenants.delete(tenantId);
  }

  hold(tenantId: string, buffer: Buffer): boolean {
    const shared = this.#shared.get(buffer);
    if (shared) shared.holders += 1;
    else if (!this.take(tenantId, buffer.length)) return false;
    else this.#shared.set(buffer, { chargedTo: tenantId, holders: 1 });
    return true;
  }

  release(buffer: Buffer): void {
    const shared = this.#shared.get(buffer);
    if (!shared) return;
    shared.holders -= 1;
    if (shared.holders > 0) return;
    this.#shared.delete(buffer);
    this.give(shared.chargedTo, buffer.length);
  }
}

/** A class, which is cheap to create: every upstream call opens a hold, and few ever take anything. */
class AccountHold implements MemoryHold {
  readonly #account: Account;
  readonly #tenantId: string;
  #takenBytes = 0;
  #buffers: Set<Buffer> | null = null;
  #isClosed = false;

  constructor(account: Account, tenantId: string) {
    this.#account = account;
    this.#tenantId = tenantId;
  }

  take(bytes: number): boolean {
    if (this.#isClosed) return true;
    const fits = this.#account.take(this.#tenantId, bytes);
    if (fits) this.#takenBytes += bytes;
    return fits;
  }

  give(bytes: number): void {
    if (this.#isClosed) return;
    this.#takenBytes -= bytes;
    this.#account.give(this.#tenantId, bytes);
  }

  hold(buffer: Buffer): boolean {
    if (this.#isClosed || this.#buffers?.has(buffer)) return true;
    if (!this.#account.hold(this.#tenantId, buffer)) return false;
    this.#buffers ??= new Set();
    this.#buffers.add(buffer);
    return true;
  }

  fork(): MemoryHold {
    return new AccountHold(this.#account, this.#tenantId);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#takenBytes > 0) this.#account.give(this.#tenantId, this.#takenBytes);
    for (const buffer of this.#buffers ?? []) this.#account.release(buffer);
    this.#buffers = null;
  }
}
