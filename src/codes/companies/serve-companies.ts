import { parentPort } from 'node:worker_threads';
import { UnreadableList } from './company.ts';
import { type PackedCompanies, packCompanies, unpackCompanies } from './pack-companies.ts';
import { readCorpCodes } from './read-corp-codes.ts';

/** A list to pack: the ZIP of the disclosure system with the first line to put before it, or the file with its own. */
export interface CompaniesJob {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly head?: string;
}

export interface CompaniesResult {
  /** Absent if the list cannot be used; `reason` then says why. */
  readonly packed?: PackedCompanies;
  readonly reason?: string;
}

/** Packs the lists that are posted to this worker thread. */
export function serveCompanies(): void {
  parentPort?.on('message', (job: CompaniesJob) => {
    const result = resultOf(job);
    const { bytes, hashes, starts } = result.packed ?? {};
    const large = [bytes, hashes, starts].flatMap((array) => (array ? [array.buffer] : []));
    parentPort?.postMessage(result, large);
  });
}

function resultOf({ bytes, head }: CompaniesJob): CompaniesResult {
  try {
    if (head !== undefined) return { packed: packCompanies(head, readCorpCodes(bytes)) };
    const { head: own, companies } = unpackCompanies(bytes);
    return { packed: packCompanies(own, companies) };
  } catch (error) {
    return { reason: error instanceof UnreadableList ? error.message : 'it cannot be packed' };
  }
}
