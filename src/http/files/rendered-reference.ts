import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../platform/kernel/error.ts';

/** The page of the API reference and the script that it runs. */
export interface RenderedReference {
  readonly page: Uint8Array<ArrayBuffer>;
  readonly script: Uint8Array<ArrayBuffer>;
  /** File name of the script, which holds its hash. */
  readonly scriptName: string;
}

/** A name that changes with the script, which browsers may therefore keep. */
export const scriptNameOf = (script: Uint8Array): string =>
  `scalar.${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`;

/** Where the build of a release puts the API reference, from the root of the compiled files. */
export const REFERENCE_DIR = 'http/files/api-reference';

const RELEASED = new URL('./api-reference/', import.meta.url);

/** The API reference of a release; in a checkout, it is rendered. */
export async function loadReference(): Promise<RenderedReference> {
  if (!existsSync(RELEASED)) return renderApiReference();
  const page = await readFile(new URL('page.html', RELEASED));
  const script = await readFile(new URL('script.js', RELEASED));
  return { page, script, scriptName: scriptNameOf(script) };
}

/** A release does not contain it. */
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
