import type { ByteBudget } from '../../platform/kernel/byte-budget.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import type { DocumentFetcher } from '../../upstreams/guard/document-fetcher.ts';
import type { RegistrationSteps } from './registration-steps.ts';

export interface FetchDescriptionDeps {
  readonly documents: DocumentFetcher;
  readonly budget: ByteBudget;
  readonly maxBytes: number;
}

/** Creates the step that fetches a description from its address, through the guard. */
export const createFetchDescription =
  ({ documents, budget, maxBytes }: FetchDescriptionDeps): RegistrationSteps['fetchDocument'] =>
  async (url, { deadline, signal, tenantId }) => {
    const memory = budget.open(tenantId);
    const cancellation = new Cancellation();
    const cancel = (): void => cancellation.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const options = { deadline, tenantId, memory, maxBytes, cancellation };
      return (await documents.fetch(url, options)).bytes;
    } finally {
      signal.removeEventListener('abort', cancel);
      memory.close();
    }
  };
