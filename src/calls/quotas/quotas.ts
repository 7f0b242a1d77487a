import type { Tool } from '../../tools/model.ts';
import type { ToolConnection } from '../../tools/tool-connection.ts';
import type { QuotaReading } from './quota-figures.ts';
import type { CountedRequests, QuotaLedger } from './quota-ledger.ts';

/** Whose requests are counted. */
interface Counted {
  readonly tool: Tool;
  /** Of the preset server. */
  readonly serverId: string;
  readonly tenantId: string;
}

export type Quotas = ReturnType<typeof createQuotas>;

/** Creates what finds how the requests of a call are counted, and reads what has been counted. */
export const createQuotas = (
  ledger: Pick<QuotaLedger, 'requestsOf'>,
  { bucketOf, read }: QuotaReading,
) => ({
  bucketOf,
  read,
  /** Undefined for requests without a key that no provider counts, and where the key is not known. */
  requestsOf(
    { tool, serverId, tenantId }: Counted,
    { keyInUse }: Pick<ToolConnection, 'keyInUse'>,
  ): CountedRequests | undefined {
    const [secret] = tool.secrets;
    const key = secret === undefined ? undefined : keyInUse?.(secret);
    if (key === undefined && (secret !== undefined || tool.quota === null)) return undefined;
    return ledger.requestsOf(bucketOf(tool, serverId, key), tenantId);
  },
});
