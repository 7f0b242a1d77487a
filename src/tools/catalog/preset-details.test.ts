import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import { createPresetDetails } from './preset-details.ts';

const DOCUMENT = `openapi: 3.1.0
info:
  title: Rain
  version: "1"
  description: Rain everywhere.
  license: { name: CC BY 4.0 }
  termsOfService: "javascript:alert(1)"
externalDocs: { url: "https://provider.example/docs" }
servers: [{ url: "https://upstream.example" }]
paths:
  /rain:
    get:
      operationId: rain
      responses:
        "200":
          description: Rows.
          content:
            application/json:
              schema:
                type: object
                properties:
                  rows:
                    type: array
                    items:
                      type: object
                      properties:
                        day: { type: string, description: The day. }
                        amount: { $ref: '#/components/schemas/Amount' }
components:
  schemas:
    Amount: { type: [number, 'null'], description: Millimetres. }
`;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'preset-details-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function read(items: string | null) {
  const filePath = join(dir, 'rain.yaml');
  await writeFile(filePath, DOCUMENT);
  const tool = { ...makeTool('rain'), payload: { ...makeTool('rain').payload, items } };
  const preset = { ...makePreset('weather/rain', tool), filePath };
  const readDetails = createPresetDetails();
  return { details: await readDetails(preset), tool, preset, readDetails, filePath };
}

it('reads what a preset says about its data, and only web addresses as links', async () => {
  const { details } = await read('/rows');
  expect(details).toMatchObject({
    description: 'Rain everywhere.',
    documentation: 'https://provider.example/docs',
    license: 'CC BY 4.0',
    termsOfService: null,
  });
});

it('describes the columns of the rows, also those that are defined elsewhere', async () => {
  const { details, tool } = await read('/rows');
  expect(details.columnsOf(tool)).toEqual([
    { name: 'day', description: 'The day.', type: 'string' },
    { name: 'amount', description: 'Millimetres.', type: 'number | null' },
  ]);
});

it('knows no columns where a tool has no rows', async () => {
  for (const items of [null, '/elsewhere']) {
    const { details, tool } = await read(items);
    expect(details.columnsOf(tool)).toEqual([]);
  }
});

it('reads each file once, and again if it could not be read', async () => {
  const { details, preset, readDetails, filePath } = await read('/rows');
  await rm(filePath);
  expect(await readDetails(preset)).toBe(details);
  const other = { ...preset, id: 'weather/other' };
  await expect(readDetails(other)).rejects.toThrow('ENOENT');
  await writeFile(filePath, DOCUMENT);
  expect((await readDetails(other)).description).toBe('Rain everywhere.');
});
