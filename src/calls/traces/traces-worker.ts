import { parentPort, workerData } from 'node:worker_threads';
import type { CallSpan } from './call-span.ts';
import { createSpanExport } from './export-spans.ts';

/** Whether the spans were sent; else the reason for the log, without the address or the headers. */
export type ExportResult = { readonly error: string | null };

const exportSpans = createSpanExport(workerData);

parentPort?.on('message', (calls: readonly CallSpan[]) => {
  void exportSpans(calls)
    .then(
      (): ExportResult => ({ error: null }),
      (error: unknown): ExportResult => ({ error: reasonOf(error) }),
    )
    .then((result) => parentPort?.postMessage(result));
});

/** A collector's own text may quote what it was sent. */
function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return `${String(name ?? 'Error')} ${String(code ?? '')}`.trim();
}
