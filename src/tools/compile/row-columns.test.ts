import { describe, expect, it } from 'vitest';
import { documentOf, issuesOf, toolOf } from '../../../test/support/compile-text.ts';

const row = { type: 'object', properties: { date: { type: 'string' }, price: { type: 'number' } } };
const rows = { type: 'array', items: row };
const object = (name: string, schema: unknown) => ({
  type: 'object',
  properties: { [name]: schema },
});

const operationWith = (extensions: object, schema: unknown, status = '200'): unknown => ({
  get: {
    operationId: 'x',
    ...extensions,
    responses: { [status]: { content: { 'application/json': { schema } } } },
  },
});

const columnsOf = async (extensions: object, schema: unknown, rest = {}) =>
  (await toolOf(operationWith(extensions, schema), rest)).payload.columns;

describe('the columns of a tool', () => {
  it.each([
    ['at the root', '', rows],
    ['within objects', '/response/body', object('response', object('body', rows))],
    ['behind an escaped name', '/a~1b', object('a/b', rows)],
    ['second in an array', '/1', { type: 'array', prefixItems: [{ type: 'object' }, rows] }],
    ['in the first of several elements', '/0/row', { type: 'array', items: object('row', rows) }],
  ])('are the properties of a row %s', async (_, pointer, schema) => {
    expect(await columnsOf({ 'x-items': pointer }, schema)).toEqual(['date', 'price']);
  });

  it('are found behind references, including one to the response', async () => {
    const components = {
      schemas: { Row: row, Rows: { type: 'array', items: { $ref: '#/components/schemas/Row' } } },
      responses: {
        Good: {
          content: {
            'application/json': { schema: object('rows', { $ref: '#/components/schemas/Rows' }) },
          },
        },
      },
    };
    const operation = {
      get: { operationId: 'x', responses: { 200: { $ref: '#/components/responses/Good' } } },
    };
    const tool = await toolOf(operation, { components, 'x-items': '/rows' });
    expect(tool.payload.columns).toEqual(['date', 'price']);
  });

  it('are those in the wrapper of each row', async () => {
    const wrapped = { type: 'array', items: object('doc', row) };
    const extensions = { 'x-items': '/docs', 'x-item-wrapper': 'doc' };
    expect(await columnsOf(extensions, object('docs', wrapped))).toEqual(['date', 'price']);
    const tool = await toolOf(operationWith(extensions, object('docs', wrapped)));
    expect(tool.payload.itemWrapper).toBe('doc');
  });

  it.each([
    ['nothing describes the response', '', undefined],
    ['the path ends early', '/rows', object('other', rows)],
    ['rows have no schema', '', { type: 'array' }],
    ['rows are strings', '', { type: 'array', items: { type: 'string' } }],
    [
      'a reference is circular',
      '',
      { type: 'array', items: { $ref: '#/components/schemas/Loop' } },
    ],
  ])('are unknown if %s', async (_, pointer, schema) => {
    const components = { schemas: { Loop: { $ref: '#/components/schemas/Loop' } } };
    expect(await columnsOf({ 'x-items': pointer }, schema, { components })).toBeNull();
  });

  it('are unknown without x-items, and for another status than 200', async () => {
    expect(await columnsOf({}, rows)).toBeNull();
    const created = await toolOf(operationWith({ 'x-items': '' }, rows, '201'));
    expect(created.payload.columns).toBeNull();
  });

  it.each([{ 'x-item-wrapper': 'doc' }, { 'x-members': { a: 'name' } }])(
    'need x-items for %j',
    async (extension) => {
      const issues = await issuesOf(documentOf(operationWith(extension, rows)));
      expect(issues.join()).toContain('no effect without x-items');
    },
  );

  it('are the ones that x-members may name, each with a text', async () => {
    const issuesWith = async (members: unknown) =>
      (
        await issuesOf(documentOf(operationWith({ 'x-items': '', 'x-members': members }, rows)))
      ).join();
    expect(await issuesWith({ other: 'name' })).toContain(
      'columns that the rows do not have: other',
    );
    expect(await issuesWith({ other: 3 })).toContain(
      'x-members must map names of columns to texts',
    );
  });
});
