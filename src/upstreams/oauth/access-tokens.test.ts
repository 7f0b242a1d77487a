import { expect, it } from 'vitest';
import { createByteBudget } from '../../platform/kernel/byte-budget.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import { createAccessTokens } from './access-tokens.ts';

const waiting = { deadline: Deadline.in(60_000), cancellation: undefined };

const credentialOf = (version: string) => ({
  version,
  tenantId: 'tenant',
  tokenUrl: 'https://auth.example.com/token',
  clientId: 'client',
  clientSecret: new Secret('secret'),
  scope: null,
});

/** A store whose token server issues `1`, `2` and so on. */
function newTokens() {
  let issued = 0;
  const tokens = createAccessTokens({
    client: {
      send: () => {
        issued += 1;
        const body = Buffer.from(JSON.stringify({ access_token: String(issued) }));
        return Promise.resolve({ status: 200, contentType: '', body, upstreamMs: 1 });
      },
    },
    checkUrl: (text) => new URL(text),
    budget: createByteBudget(1024),
    clock: { now: () => 0 },
  });
  const tokenOf = async (version: string) =>
    (await tokens.get(credentialOf(version), waiting)).value.reveal();
  return { tokens, tokenOf };
}

it('Each version of a credential has its own token', async () => {
  const { tokenOf } = newTokens();
  expect([await tokenOf('a'), await tokenOf('b'), await tokenOf('a')]).toEqual(['1', '2', '1']);
});

it('The tokens of 1,000 versions are remembered', async () => {
  const { tokenOf } = newTokens();
  for (let n = 1; n <= 1000; n++) await tokenOf(`v${n}`);
  expect(await tokenOf('v1')).toBe('1');
  expect(await tokenOf('v1001')).toBe('1001');
  expect(await tokenOf('v2')).toBe('1002');
  expect(await tokenOf('v1')).toBe('1');
});

it('A token that another call has renewed already is not requested again', async () => {
  const { tokens } = newTokens();
  const credential = credentialOf('a');
  const old = await tokens.get(credential, waiting);
  const renewed = await tokens.renew(credential, old, waiting);
  expect(await tokens.renew(credential, old, waiting)).toBe(renewed);
});
