import { Worker } from 'node:worker_threads';
import type { RenderedReference } from './api-reference-worker.ts';

// From source the worker is TypeScript; compiled, it is the JavaScript beside this file.
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './api-reference-worker.ts' : './api-reference-worker.js',
  import.meta.url,
);

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256 };
const TIMEOUT_MS = 30_000;

/**
 * Renders the API reference on a thread of its own. The package needs 40 MB and half a second, and gives nothing back
 * while its module is loaded; all of that goes with the thread. Rejects when the thread fails or takes over 30 s.
 */
export function renderApiReference(): Promise<RenderedReference> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { env: {}, execArgv: [], resourceLimits: RESOURCE_LIMITS });
    const timer = setTimeout(() => void worker.terminate(), TIMEOUT_MS);
    worker.unref();
    worker
      .once('message', resolve)
      .once('error', reject)
      .once('exit', () => {
        clearTimeout(timer);
        reject(new Error('The API reference was not rendered.'));
      });
  });
}
