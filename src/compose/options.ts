import type { Logger } from 'pino';
import type { ProviderKeySource } from '../access/provider-keys/provider-key-source.ts';
import type { SecurityLog } from '../access/trail/security-log.ts';
import type { SecretSource, Settings } from '../platform/config/settings.ts';
import type { Clock } from '../platform/kernel/clock.ts';
import type { ClosingStack } from '../platform/kernel/closing-stack.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';
import type { Toolsets } from '../tools/catalog/toolsets.ts';

/** Everything needed to build a gateway. */
export interface GatewayOptions {
  readonly settings: Settings;
  /** The provider keys of the environment, which win over stored ones. */
  readonly secrets: SecretSource;
  /** What the sandbox accepts for a key that is neither in the environment nor stored. */
  readonly sandboxSecret?: Secret;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Whether the sandbox answers in place of the upstreams. */
  readonly isSandbox?: boolean;
  /** Replaces the base URL of a preset, for the sandbox. */
  readonly baseUrlFor?: (presetId: string, baseUrl: string) => string;
}

/** What any part of the gateway may depend on. The keys of the environment are only some of `keySource`. */
export interface GatewayContext extends Omit<GatewayOptions, 'secrets' | 'sandboxSecret'> {
  readonly parts: ClosingStack;
  readonly catalog: Catalog;
  readonly toolsets: Toolsets;
  readonly keySource: ProviderKeySource;
  readonly securityLog: SecurityLog;
}
