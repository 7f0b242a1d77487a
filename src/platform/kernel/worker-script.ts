/** The script of a worker thread: TypeScript when run from source, else the JavaScript compiled from it. */
export const workerScript = (pathWithoutExtension: string, importerUrl: string): URL =>
  new URL(`${pathWithoutExtension}.${importerUrl.endsWith('.ts') ? 'ts' : 'js'}`, importerUrl);
