import { expect, it } from 'vitest';
import { CONNECT_CLIENT_NAMES } from '../../access/connect/connect-clients.ts';
import type { PersonContext } from './admin-route.ts';
import { createConnectRoutes } from './connect.ts';

const snippetsOf = async (baseUrl?: string) =>
  createConnectRoutes({ baseUrl })['GET /connect'].handle({} as PersonContext, {
    origin: 'http://localhost:8080',
  });

it('has a snippet for every client that takes a key, the most common ones first', async () => {
  const { clients } = await snippetsOf();
  const names = clients.map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(['curl', 'typescript-sdk', 'python-sdk']);
  const withoutKey: readonly string[] = ['chatgpt', 'copilot-studio'];
  expect(names.toSorted()).toEqual(
    CONNECT_CLIENT_NAMES.filter((name) => !withoutKey.includes(name)).sort(),
  );
});

it('leaves a place for the key in every snippet, and names the gateway', async () => {
  const { keyPlace, clients } = await snippetsOf();
  for (const { snippet } of clients) {
    expect(snippet.split(keyPlace)).toHaveLength(2);
    expect(snippet).toContain('http://localhost:8080');
    expect(snippet).not.toContain(process.cwd());
  }
});

it('prefers the address that the operator has set', async () => {
  const { clients } = await snippetsOf('https://tools.example.com/gateway/');
  expect(clients[0]?.snippet).toContain('https://tools.example.com/gateway/mcp');
});
