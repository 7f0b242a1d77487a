import type { Logger } from 'pino';
import type { SecurityLog } from '../access/trail/security-log.ts';
import type { SecretSource, Settings } from '../platform/config/settings.ts';
import type { Clock } from '../platform/kernel/clock.ts';
import type { ClosingStack } from '../platform/kernel/closing-stack.ts';
import type { Catalog } from '../tools/catalog/catalog.ts';

/** What a gateway is built from. */
export interface GatewayOptions {
  readonly settings: Settings;
  readonly secrets: SecretSource;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Points a preset at another address, for the sandbox. */
  readonly baseUrlFor?: (presetId: string, baseUrl: string) => string;
}

/** What every part of the gateway may be given. */
export interface Ground extends GatewayOptions {
  readonly parts: ClosingStack;
  readonly catalog: Catalog;
  readonly securityLog: SecurityLog;
}
