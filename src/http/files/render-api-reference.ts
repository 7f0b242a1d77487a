import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { RenderedReference } from './rendered-reference.ts';

const WORKER = new URL('./api-reference-worker.ts', import.meta.url);

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
      .once('error', (error) => reject(isMissing(error) ? NOT_INSTALLED : error))
      .once('exit', () => {
        clearTimeout(timer);
        reject(new Error('The API reference was not rendered.'));
      });
  });
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';

const NOT_INSTALLED = new GatewayError(
  'unavailable',
  'The API reference is not installed. Run "npm ci" with the development dependencies, and start the gateway again.',
);
