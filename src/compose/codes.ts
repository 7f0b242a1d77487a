import { join } from 'node:path';
import { hiddenSecrets } from '../calls/hidden-secrets.ts';
import { loggableError } from '../calls/log-call.ts';
import type { Quotas } from '../calls/quotas/quotas.ts';
import { createCodeTables } from '../codes/code-tables.ts';
import { type CodeBook, createCodeBook } from '../codes/companies/code-book.ts';
import { createCompanies } from '../codes/companies/companies.ts';
import { COMPANY_KIND, COMPANY_LIMITS } from '../codes/companies/company-file.ts';
import { CODE_FILES } from '../codes/kinds/kinds.ts';
import { whenReady } from '../platform/kernel/awaitable.ts';
import type { ByteBudget } from '../platform/kernel/byte-budget.ts';
import { memoizeLast } from '../platform/kernel/memo.ts';
import { assertShipped, PACKAGE_ROOT } from '../platform/kernel/shipped-files.ts';
import { workerScript } from '../platform/kernel/worker-queue.ts';
import { companyListOf, REQUESTER } from '../public-data/company-list.ts';
import type { ResolveCode } from '../tools/request/resolve-code.ts';
import type { RequestSender, ToolConnection } from '../tools/tool-connection.ts';
import type { GatewayContext } from './options.ts';

const CODES_DIR = join(PACKAGE_ROOT, 'codes');
/** Read when calls first need them, and so missed only then. */
const SHIPPED = CODE_FILES.map((file) => `codes/${file}.tsv`);

/** Creates what finds codes: the tables, and the list of companies, which is kept in DATA_DIR. */
export function createCodes(
  { settings, clock, logger, parts, catalog, keySource }: GatewayContext,
  {
    upstreams,
    budget,
    threadHeapMib,
    quotas,
    connection,
  }: {
    upstreams: RequestSender;
    budget: ByteBudget;
    threadHeapMib: number;
    quotas: Quotas | undefined;
    connection: ToolConnection;
  },
): CodeBook {
  assertShipped(SHIPPED);
  const tables = createCodeTables({ dir: CODES_DIR });
  const listOf = memoizeLast((entries: typeof catalog.presetEntries) =>
    companyListOf({
      kind: COMPANY_KIND,
      limits: COMPANY_LIMITS,
      tools: entries.map(({ tool }) => tool),
      secretOf: keySource.secretOf,
      sender: upstreams,
      quotaOf: (tool) =>
        quotas?.requestsOf({ tool, serverId: '', tenantId: REQUESTER }, connection),
      budget,
    }),
  );
  const list = () => listOf(catalog.presetEntries);
  const companies = parts.add(
    createCompanies({
      from: list,
      dataDir: settings.DATA_DIR,
      clock,
      waitMs: settings.UPSTREAM_TIMEOUT_MS,
      script: workerScript('../codes/companies/companies-worker', import.meta.url),
      maxHeapMib: threadHeapMib,
      onFetched: (count) => logger.info({ companies: count }, 'list of companies fetched'),
      onFailed: (error) => {
        const tool = list()?.tool;
        const err = loggableError(error, tool && hiddenSecrets(tool, keySource.secretOf));
        logger.warn({ err }, 'list of companies not fetched or not kept');
      },
    }),
  );
  return createCodeBook(tables, companies);
}

/** What a name in an argument means. A hit of a place also has its coordinates. */
export const resolveIn =
  ({ resolve }: CodeBook): ResolveCode =>
  (kind, text, argument) =>
    whenReady(resolve(kind, text, argument), (found) =>
      'code' in found ? { ...found.hit, code: found.code } : found,
    );
