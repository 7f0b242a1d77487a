import type { OperationFilter } from '../../tools/compile/compile-policy.ts';
import type { GatewayOptions } from '../shared/gateway-address.ts';
import type { AuthOptions } from './auth-options.ts';

/** The options of `register`, as commander names them. */
export interface RegisterOptions extends GatewayOptions, AuthOptions {
  readonly name: string;
  readonly category?: string;
  readonly description?: string;
  readonly baseUrl?: string;
  readonly confirmOrigin?: readonly string[];
  readonly include?: readonly OperationFilter[];
  readonly exclude?: readonly OperationFilter[];
  readonly propose?: true;
  readonly dryRun?: true;
  readonly json?: true;
}
