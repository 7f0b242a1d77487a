import type { About } from '../../registrations/request/registration-input.ts';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';
import type { GatewayOptions } from '../shared/gateway-address.ts';
import type { AuthOptions } from './auth-options.ts';

/** The options of `register`, as commander names them. */
export interface RegisterOptions extends GatewayOptions, AuthOptions, About {
  readonly name: string;
  readonly baseUrl?: string;
  readonly confirmOrigin?: readonly string[];
  readonly include?: readonly OperationFilter[];
  readonly exclude?: readonly OperationFilter[];
  readonly propose?: true;
  readonly dryRun?: true;
  readonly json?: true;
}
