import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/contract.md'), 'utf8');
const [table = ''] = page.split('\n## Management\n')[1]?.split('\n## ') ?? [];

/** The operations of the table in docs/contract.md#management. */
export const MANAGED = table.split('\n').flatMap((line) => {
  const [, method = '', path = '', operation = '', scope = ''] =
    /^\| ([A-Z]+) \| `(\/[^`]+)` \| `(\w+)` \| `(\w+)` \|$/.exec(line) ?? [];
  return method ? [{ method, path: `/api/v1/admin${path}`, operation, scope }] : [];
});

export const hasBody = (method: string): boolean => method.startsWith('P');

/** The address of an operation in a tenant. Its other parameters name nothing that exists. */
export const addressIn = (path: string, tenant: string): string =>
  path.replace(':tenant', tenant).replace(/:\w+/g, 'none');
