import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { compileWhole } from '../../../test/support/compile-text.ts';
import { parseDocument } from '../document/parse-document.ts';
import type { CompiledApi, Tool } from '../model.ts';

async function compileVersion(version: string): Promise<{ api: CompiledApi; warnings: string[] }> {
  const text = await readFile(new URL(`fixtures/pets-${version}.yaml`, import.meta.url), 'utf8');
  const { api, warnings } = await compileWhole(text);
  const { lineOf } = await parseDocument(text, '');
  return {
    api,
    warnings: warnings.map(({ pointer, message }) => `${lineOf(pointer)}: ${message}`),
  };
}

const withoutVersion = ({ version: _, ...tool }: Tool): unknown => tool;

describe('one API described in every version of OpenAPI', () => {
  it.each(['2.0', '3.0', '3.2'])('%s produces the same tools as 3.1', async (version) => {
    const [actual, expected] = await Promise.all([compileVersion(version), compileVersion('3.1')]);
    expect(actual.api.title).toBe(expected.api.title);
    expect(actual.api.baseUrl).toBe('https://api.example.com/v1');
    expect(actual.api.tools.map(withoutVersion)).toEqual(expected.api.tools.map(withoutVersion));
  });

  it('warns, with the line, that parts of 3.2 were ignored', async () => {
    const { warnings } = await compileVersion('3.2');
    expect(warnings).toEqual([
      '45: "query" is not supported and was ignored.',
      '48: "additionalOperations" is not supported and was ignored.',
      '33: The operationId "listPets" becomes the tool name "listpets".',
      '40: The operationId "addPet" becomes the tool name "addpet".',
      '54: The operationId "removePet" becomes the tool name "removepet".',
      '58: The operationId "addPhoto" becomes the tool name "addphoto".',
    ]);
  });

  it('produces the described tools', async () => {
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
