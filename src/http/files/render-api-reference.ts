import { Worker } from 'node:worker_threads';
import { workerScript } from '../../platform/kernel/worker-script.ts';
import type { RenderedReference } from './api-reference-worker.ts';

const WORKER = workerScript('./api-reference-worker', import.meta.url);

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256 };
const TIMEOUT_MS = 30_000;

/**
 * Renders the API reference on a separate thread. The package needs half a second and 40 MB, which it holds for as long
 * as its module is loaded; the thread frees them when it ends. Rejects when the thread fails or takes over 30 s.
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
