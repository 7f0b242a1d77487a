import type { Logger } from 'pino';
import type { ProviderKeySource } from '../access/provider-keys/provider-key-source.ts';
import type { SecurityLog } from '../access/trail/security-log.ts';
import type { SecretSource, Settings } from '../platform/config/settings.ts';
import type { DiskReserve } from '../platform/database/disk-reserve.ts';
import type { ClosingStack } from '../platform/kernel/closing.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import type { Clock } from '../platform/kernel/time.ts';

import type { Catalog } from '../tools/catalog/catalog.ts';
import type { Toolsets } from '../tools/catalog/toolsets.ts';

/** The place of this process among the workers of a machine, which share a port (docs/operations/scaling.md#workers). */
interface WorkerPlace {
  /** The number of this one, from 1. */
  readonly number: number;
  readonly total: number;
  /** The DATA_DIR of all workers, which contains the directory of each. */
  readonly sharedDir: string;
}

/** Everything needed to build a gateway. */
export interface GatewayOptions {
  readonly settings: Settings;
  /** The provider keys of the environment, which win over stored ones. */
  readonly secrets: SecretSource;
  /** What the sandbox accepts for a key that is neither in the environment nor stored. */
  readonly sandboxSecret?: Secret;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether the sandbox answers in place of the upstreams of presets. */
  readonly isSandbox?: boolean;
  /** Replaces the base URL of a preset, for the sandbox. */
  readonly baseUrlFor?: (presetId: string, baseUrl: string) => string;
  /** Called with what the first start has created, before the gateway serves. */
  readonly handOver?: (credentials: NewCredentials) => void;
  /** Unset unless the gateway has several processes on this machine. */
  readonly worker?: WorkerPlace | undefined;
}

/** What a first start creates, and only it can show. */
export interface NewCredentials {
  /** The first API key; null if there was one. */
  readonly apiKey: Secret | null;
  /** How the first administrator signs in, with a null password if the settings chose it; null if there was a person. */
  readonly administrator: { readonly email: string; readonly password: Secret | null } | null;
}

/** What any part of the gateway may depend on. The keys of the environment are only some of `keySource`. */
export interface GatewayContext extends Omit<GatewayOptions, 'secrets' | 'sandboxSecret'> {
  readonly parts: ClosingStack;
  /** Takes DATA_DIR and the disk space that is reserved there, once for all attempts to start. Rejects with StartupError. */
  readonly openPlace: () => Promise<DiskReserve>;
  readonly catalog: Catalog;
  readonly toolsets: Toolsets;
  readonly keySource: ProviderKeySource;
  readonly securityLog: SecurityLog;
}
