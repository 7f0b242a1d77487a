import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Portal, startPortal } from './portal.ts';

describe('the portal', () => {
  let portal: Portal;
  beforeEach(async () => {
    portal = await startPortal({ callsPerDay: 2, countedParameter: 'tenant' });
  });
  afterEach(() => portal.close());

  async function ask(operation: string, key: string, tenant = 'a'): Promise<string> {
    const response = await fetch(`${portal.url}${operation}?serviceKey=${key}&tenant=${tenant}`);
    const text = await response.text();
    return (
      /<returnReasonCode>(\d\d)</.exec(text)?.[1] ?? /"resultCode":"(\d\d)"/.exec(text)?.[1] ?? ''
    );
  }

  it('refuses what is more than a day has for a key and an operation, until the next one', async () => {
    const codes = [];
    for (const tenant of ['a', 'b', 'c']) codes.push(await ask('/one', 'k', tenant));
    codes.push(await ask('/two', 'k'), await ask('/one', 'other'));
    expect(codes).toEqual(['00', '00', '22', '00', '00']);
    expect(portal.count()).toMatchObject({
      received: 5,
      refused: 1,
      answeredOf: new Map([
        ['/one', 3],
        ['/two', 1],
      ]),
      answeredFor: new Map([
        ['a', 3],
        ['b', 1],
      ]),
    });
    portal.reset();
    expect(await ask('/one', 'k')).toBe('00');
    expect(portal.count().received).toBe(1);
  });

  it('knows the keys that are registered, and for which operations', async () => {
    portal.approve('k', ['/one']);
    expect(await ask('/one', 'k')).toBe('00');
    expect(await ask('/two', 'k')).toBe('20');
    expect(await ask('/one', 'other')).toBe('30');
  });

  it('can be down, and comes back at the same address', async () => {
    await portal.become('unavailable');
    expect((await fetch(`${portal.url}/one`)).status).toBe(503);
    await portal.become('unreachable');
    await expect(fetch(`${portal.url}/one`)).rejects.toThrow('fetch failed');
    await portal.become('up');
    expect(await ask('/one', 'k')).toBe('00');
  });
});
