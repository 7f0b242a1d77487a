import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { CompiledApi, Tool } from '../model.ts';
import { compileText } from './fixtures/compile-text.ts';

async function compileVersion(version: string): Promise<{ api: CompiledApi; warnings: string[] }> {
  const text = await readFile(new URL(`fixtures/pets-${version}.yaml`, import.meta.url), 'utf8');
  const warnings: string[] = [];
  const api = await compileText(text, {
    secretForScheme: (name) => `SECRET_OF_${name.toUpperCase()}`,
    onWarning: ({ line, message }) => warnings.push(`${line}: ${message}`),
  });
  return { api, warnings };
}

const withoutVersion = ({ version: _, ...tool }: Tool): unknown => tool;

describe('one API described in every version of OpenAPI', () => {
  it.each(['2.0', '3.0', '3.2'])('%s gives the same tools as 3.1', async (version) => {
    const [given, wanted] = await Promise.all([compileVersion(version), compileVersion('3.1')]);
    expect(given.api.title).toBe(wanted.api.title);
    expect(given.api.baseUrl).toBe('https://api.example.com/v1');
    expect(given.api.tools.map(withoutVersion)).toEqual(wanted.api.tools.map(withoutVersion));
  });

  it('warns that what only 3.2 has was left out, with the line', async () => {
    const { warnings } = await compileVersion('3.2');
    expect(warnings).toEqual([
      '45: "query" is left out: it is not supported.',
      '48: "additionalOperations" is left out: it is not supported.',
    ]);
  });

  it('gives the tools that were described', async () => {
    const { api } = await compileVersion('3.1');
    expect(api.tools.map(({ name, method, path }) => `${name} ${method} ${path}`)).toEqual([
      'listpets GET /pets',
      'addpet POST /pets',
      'removepet DELETE /pets/{id}',
      'addphoto POST /pets/{id}/photo',
    ]);
    expect(api.tools[1]).toMatchObject({
      inputSchema: {
        properties: {
          name: { type: 'string', description: 'Its name.', examples: ['Rex'] },
          nick: { type: ['string', 'null'] },
          friend: { $ref: '#/$defs/Friend' },
        },
        required: ['name'],
        additionalProperties: false,
        $defs: { Friend: { properties: { friend: { $ref: '#/$defs/Friend' } } } },
      },
      body: { kind: 'json', lifted: ['name', 'nick', 'friend'] },
      secrets: ['SECRET_OF_KEY'],
    });
    expect(api.tools[1]?.inputSchema['properties']).not.toHaveProperty('id');
  });
});
