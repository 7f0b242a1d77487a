import { createGuarded } from '../../compose/guarded.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { createByteBudget } from '../../platform/kernel/byte-budget.ts';
import { createClosingStack } from '../../platform/kernel/closing.ts';
import { Deadline, systemClock } from '../../platform/kernel/time.ts';
import { createLogger } from '../shared/logger.ts';
import type { DocumentText } from './read-document-file.ts';

const TIMEOUT_MS = 60_000;
/** The document may use half of it. */
const BUDGET_BYTES = 128 * 1024 * 1024;
/** Stands for the tenant, whose share of look-ups and memory the fetcher uses. */
const USER = 'command line';

export const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);

/** Fetches a description as a registration does, from a public address unless ALLOW_PRIVATE_UPSTREAMS is set. */
export async function fetchDocument(address: string): Promise<DocumentText> {
  const parts = createClosingStack();
  const budget = createByteBudget(BUDGET_BYTES);
  const memory = budget.open(USER);
  try {
    const settings = readSettings(process.env);
    const context = {
      settings,
      clock: systemClock,
      logger: createLogger({ LOG_LEVEL: 'silent' }),
      parts,
    };
    const deadline = Deadline.in(TIMEOUT_MS);
    const { bytes, finalUrl } = await createGuarded(context, budget).documents.fetch(address, {
      deadline,
      tenantId: USER,
      memory,
    });
    return { name: new URL(finalUrl).host, text: bytes.toString('utf8'), url: finalUrl };
  } finally {
    memory.close();
    await parts.close();
  }
}
