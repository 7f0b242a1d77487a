import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assignNames } from './catalog-view.ts';

const taken = (...names: string[]) => {
  const all = new Set(names);
  return (name: string) => all.has(name);
};

it('keeps names that are free', () => {
  expect(assignNames(['get_pets', 'add_pet'], taken('other'), 'pets')).toEqual([
    'get_pets',
    'add_pet',
  ]);
});

it('puts the slug in front of a name that is taken, as often as necessary', () => {
  expect(assignNames(['list', 'get'], taken('list'), 'my-pets')).toEqual(['my_pets_list', 'get']);
  expect(assignNames(['list'], taken('list', 'pets_list'), 'pets')).toEqual(['pets_pets_list']);
  expect(assignNames(['list', 'list', 'pets_list'], taken(), 'pets')).toEqual([
    'list',
    'pets_list',
    'pets_pets_list',
  ]);
});

it('shortens a name to 64 characters, and still finds one that is free', () => {
  const long = 'x'.repeat(64);
  const [first = ''] = assignNames([long], taken(long), 'pets');
  const [second = ''] = assignNames([long], taken(long, first), 'pets');
  expect(first).toMatch(/^pets_x{50}_[0-9a-f]{8}$/);
  expect(second).toMatch(/^pets_pets_x{45}_[0-9a-f]{8}$/);
});

it('always assigns short, different and free names, the same for the same arguments', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      's_a',
      's_s_a',
      'x'.repeat(64),
      'x'.repeat(80),
      `s_${'x'.repeat(64)}`,
    ),
    fc.stringMatching(/^[a-z0-9_]{1,80}$/),
  );
  const slug = fc.oneof(fc.constant('s'), fc.stringMatching(/^[a-z0-9]{1,20}(-[a-z0-9]{1,19})?$/));
  fc.assert(
    fc.property(fc.array(name), fc.array(name), slug, (wanted, others, by) => {
      const isTaken = taken(...others);
      const assigned = assignNames(wanted, isTaken, by);
      expect(assigned).toHaveLength(wanted.length);
      expect(new Set(assigned).size).toBe(wanted.length);
      for (const each of assigned) {
        expect(each).toMatch(/^[a-z0-9_]{1,64}$/);
        expect(isTaken(each)).toBe(false);
      }
      expect(assignNames(wanted, isTaken, by)).toEqual(assigned);
    }),
  );
});
