import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { runCommand } from '../support/run-program.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const INSTALLED = join(import.meta.dirname, 'node_modules');
/** Within this folder, so that what is generated finds the packages. */
const GENERATED = join(import.meta.dirname, '.generated');

const PAGE = await readFile(join(ROOT, 'docs/typed-clients.md'), 'utf8');

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await gateway.close();
  await rm(GENERATED, { recursive: true, force: true });
});

describe('the linter', () => {
  const lint = async (
    name: string,
    document: string,
  ): Promise<{ errors: number; warnings: number }> => {
    const dir = join(GENERATED, 'lint');
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, name), document);
    const program = join(INSTALLED, '@redocly/cli/bin/cli.js');
    const options = ['--extends', 'recommended', '--format', 'json'];
    const { stdout } = await run([program, 'lint', name, ...options], dir);
    return JSON.parse(stdout.slice(stdout.indexOf('{'))).totals;
  };

  const read = async (path: string): Promise<string> =>
    (await gateway.fetch(path, { key: null })).text();

  test('has nothing against the description', async () => {
    const { errors, warnings } = await lint('tools.json', await read('/openapi.json?tools=1'));
    expect(errors).toBe(0);
    expect(warnings).toBeLessThanOrEqual(5);
  });

  test('finds what is wrong', async () => {
    const document = await read('/openapi.json');
    const { errors } = await lint('wrong.json', document.replace('"listTools"', '"getTool"'));
    expect(errors).toBeGreaterThan(0);
  });
});

describe.each([
  ['openapi-fetch', 'openapi-typescript and openapi-fetch'],
  ['hey-api', 'Hey API'],
])('a client for %s', (name, heading) => {
  const dir = join(GENERATED, name);
  const section = PAGE.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const block = (language: string): string =>
    section.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';

  beforeAll(async () => {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'package.json'), '{"type":"module"}');
    const command = block('sh').replace('http://127.0.0.1:8080', gateway.url);
    const installed = `PATH=${INSTALLED}/.bin:$PATH ${command.replace(/^npx (?:@[\w-]+\/)?/, '')}`;
    expect(await run(['-c', installed], dir, 'sh')).toMatchObject({ code: 0 });
    await writeFile(join(dir, 'page.ts'), block('ts'));
    await cp(join(import.meta.dirname, `callers/${name}.ts`), join(dir, 'caller.ts'));
    await writeFile(join(dir, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(await run([compiler, '-p', '.'], dir)).toMatchObject({ code: 0, stdout: '' });
  });

  test('makes the call of the page', async () => {
    const { stdout } = await run(['dist/page.js'], dir);
    expect(stdout).toContain("base: 'USD', quote: 'KRW', rate: ");
  });

  test('calls tools with any arguments, reads lists and refusals', async () => {
    const { stdout } = await run(['dist/caller.js'], dir);
    expect(JSON.parse(stdout)).toEqual(['ok', 'weather', 'Bad Request']);
  });
});

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    types: ['node'],
    outDir: 'dist',
  },
  include: ['*.ts'],
};

const run = (args: readonly string[], dir: string, program = process.execPath) =>
  runCommand(
    [program, ...args],
    {
      GATEWAY: gateway.url,
      KEY: gateway.key,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    },
    dir,
  );
