import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSandbox, type Sandbox } from './sandbox.ts';

const presetsDir = fileURLToPath(new URL('../presets', import.meta.url));

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ presetsDir, host: '127.0.0.1', port: 0 });
});
afterAll(() => sandbox.close());

const ask = async (path: string, { token = 'practice-token', ...init }: Asked = {}) => {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${sandbox.url}/practice${path}`, { headers, ...init });
  return [response.status, (await response.json()) as { id?: number }] as const;
};
type Asked = { readonly token?: string } & Pick<RequestInit, 'method' | 'body'>;

it('describes itself without a token', async () => {
  const response = await fetch(`${sandbox.url}/practice/openapi.yaml`);
  expect(response.headers.get('content-type')).toContain('yaml');
  expect(await response.text()).toContain('operationId: listBooks');
});

it('refuses every other request without its token, and names it', async () => {
  for (const path of ['/books', '/books/1', '/other']) {
    expect(await ask(path, { token: 'wrong' })).toEqual([
      401,
      { error: 'The bearer token of this API is practice-token.' },
    ]);
  }
});

it('lists, finds and adds books, and refuses what is no book', async () => {
  expect(await ask('/books?author=borges')).toMatchObject([200, { books: [{ id: 1 }] }]);
  expect(await ask('/books?limit=2')).toMatchObject([200, { books: { length: 2 } }]);
  const body = JSON.stringify({ title: 'Solaris', author: 'Stanisław Lem', year: 1961 });
  const [status, book] = await ask('/books', { method: 'POST', body });
  expect([status, await ask(`/books/${book.id}`)]).toEqual([201, [200, book]]);
  for (const bad of ['', '[]', '{"title":1}', `"${'x'.repeat(70_000)}"`]) {
    expect(await ask('/books', { method: 'POST', body: bad })).toMatchObject([400, {}]);
  }
  expect(await ask('/books/99')).toMatchObject([404, {}]);
  expect(await ask('/other')).toMatchObject([404, {}]);
});

it('keeps a hundred books', async () => {
  const body = JSON.stringify({ title: 'One', author: 'More' });
  for (let n = 0; n < 100; n++) await ask('/books', { method: 'POST', body });
  expect(await ask('/books?limit=1000')).toMatchObject([200, { books: { length: 100 } }]);
  expect(await ask('/books/1')).toMatchObject([404, {}]);
});
