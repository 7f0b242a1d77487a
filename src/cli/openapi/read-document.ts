import { createReadStream } from 'node:fs';
import { createGuarded } from '../../compose/guarded.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { createByteBudget } from '../../platform/kernel/byte-budget.ts';
import { createClosingStack } from '../../platform/kernel/closing.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { Deadline, systemClock } from '../../platform/kernel/time.ts';
import { MAX_DOCUMENT_LENGTH } from '../../tools/document/document-limits.ts';
import { createLogger } from '../shared/logger.ts';

/** A description as it was read. */
export interface DocumentText {
  /** For messages. */
  readonly name: string;
  readonly text: string;
  /** Where it was fetched from, against which relative server addresses are resolved. */
  readonly url?: string;
}

/** Reads a description from a file or pipe of bounded size. Throws StartupError. */
export async function readDocumentFile(path: string): Promise<DocumentText> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > MAX_DOCUMENT_LENGTH) break;
      pieces.push(piece);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new StartupError(`${path} cannot be read (${String(error.code)}).`);
  }
  if (size > MAX_DOCUMENT_LENGTH) {
    throw new StartupError(`${path} has more than ${MAX_DOCUMENT_LENGTH} bytes. Split it.`);
  }
  return { name: path, text: Buffer.concat(pieces).toString('utf8') };
}

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
