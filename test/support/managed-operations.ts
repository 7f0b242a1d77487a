import { type AdminTableDeps, createOperations } from '../../src/dialects/admin/admin-table.ts';
import { createManageRoutes } from '../../src/dialects/manage/manage-routes.ts';
import type { Operations } from '../../src/platform/input/operation.ts';

/** Nothing is run here: the operations only need to exist. */
const NO_DEPS: AdminTableDeps = new Proxy({} as AdminTableDeps, { get: () => NO_DEPS });

/** Those that any key of a tenant may run have addresses of their own. */
const operations = Object.fromEntries(
  Object.entries(createOperations(NO_DEPS) as Operations).filter(
    ([, { access }]) => access !== 'key',
  ),
);

/** Every operation of management with its address, as the gateway serves it. */
export const MANAGED = createManageRoutes({
  operations,
  authorise: () => Promise.reject(new Error('not run')),
}).map(({ method, path, operation }, at) => {
  const {
    access,
    trail = [],
    ...declared
  } = Object.values(operations)[at] as Operations[keyof Operations];
  const scope = access === 'operator' ? 'operator' : 'admin';
  return {
    ...declared,
    method,
    path,
    operation: String(operation),
    scope,
    trail: [trail].flat() as readonly string[],
  };
});

export const hasBody = (method: string): boolean => method.startsWith('P');

/** The address of an operation in a tenant. Its other parameters name nothing that exists. */
export const addressIn = (path: string, tenant: string): string =>
  path.replace(':tenant', tenant).replace(/:\w+/g, 'none');
