import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type RenderedReference, scriptNameOf } from './rendered-reference.ts';

/** Where the build of a release puts the API reference, from the root of the compiled files. */
export const REFERENCE_DIR = 'http/files/api-reference';

const RELEASED = new URL('./api-reference/', import.meta.url);

/** The API reference of a release; in a checkout, it is rendered. */
export async function loadReference(): Promise<RenderedReference> {
  if (!existsSync(RELEASED)) {
    const { renderApiReference } = await import('./render-api-reference.ts');
    return renderApiReference();
  }
  const page = await readFile(new URL('page.html', RELEASED));
  const script = await readFile(new URL('script.js', RELEASED));
  return { page, script, scriptName: scriptNameOf(script) };
}
