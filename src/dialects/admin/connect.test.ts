import { expect, it } from 'vitest';
import { CONNECT_CLIENT_NAMES } from '../../access/connect/connect-clients.ts';
import type { PersonContext } from './admin-route.ts';
import { createConnectRoutes } from './connect.ts';

const snippetsOf = async (baseUrl?: string) =>
  createConnectRoutes({ baseUrl, canSignIn: true })['GET /connect'].handle({} as PersonContext, {
    origin: 'http://localhost:8080',
  });

it('has every client, the most common ones first, with a way to connect', async () => {
  const { clients } = await snippetsOf();
  const names = clients.map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(['curl', 'typescript-sdk', 'python-sdk']);
  expect(names.toSorted()).toEqual(CONNECT_CLIENT_NAMES);
  const withoutKey = clients.filter(({ withKey }) => withKey === null);
  expect(withoutKey.map(({ name }) => name)).toEqual(['chatgpt', 'copilot-studio']);
  for (const { signIn } of withoutKey) {
    expect(signIn?.snippet).toContain('http://localhost:8080/mcp');
  }
});

it('leaves a place for the key in every snippet with one, and names the gateway', async () => {
  const { keyPlace, clients } = await snippetsOf();
  for (const { withKey, signIn } of clients) {
    if (withKey) expect(withKey.snippet.split(keyPlace)).toHaveLength(2);
    if (signIn) expect(signIn.snippet).not.toContain(keyPlace);
    for (const { snippet } of [withKey, signIn].filter((way) => way !== null)) {
      expect(snippet).toContain('http://localhost:8080');
      expect(snippet).not.toContain(process.cwd());
    }
  }
});

it('says what to do for a sign-in where it differs, and offers none over plain http elsewhere', async () => {
  const desktop = async (baseUrl: string) =>
    (await snippetsOf(baseUrl)).clients.find(({ name }) => name === 'claude-desktop');
  const { signIn, withKey } = (await desktop('https://tools.example.com')) ?? {};
  expect(signIn?.instructions).toContain('Connectors');
  expect(withKey?.instructions).toContain('claude_desktop_config.json');
  expect((await desktop('http://tools.example.com'))?.signIn).toBeNull();
});

it('prefers the address that the operator has set', async () => {
  const { address, clients } = await snippetsOf('https://tools.example.com/gateway/');
  expect(address).toBe('https://tools.example.com/gateway/mcp');
  expect(clients[0]?.withKey?.snippet).toContain('https://tools.example.com/gateway/mcp');
});
