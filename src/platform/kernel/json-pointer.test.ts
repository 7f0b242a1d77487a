import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { child, isJsonPointer, parsePointer, pointerTo, valueAt } from './json-pointer.ts';

describe('JSON pointers', () => {
  it('name every member and element of a document, whatever its name', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(20), fc.jsonValue(), (name, index, value) => {
        const document = { [name]: Array.from({ length: index + 1 }, () => value) };
        const pointer = pointerTo(pointerTo('', name), index);
        expect(isJsonPointer(pointer)).toBe(true);
        expect(valueAt(document, parsePointer(pointer))).toBe(document[name]?.[index]);
      }),
    );
  });

  it('reach own members only, and array elements only by a canonical index', () => {
    expect(child({}, 'constructor')).toBeUndefined();
    expect(child('text', 'length')).toBeUndefined();
    expect(child([1, 2], 'length')).toBeUndefined();
    expect(child([1, 2], '01')).toBeUndefined();
    expect(child([1, 2], '1')).toBe(2);
  });

  it.each(['a', '/~', '/~2', 1, null])('are not %j', (value) => {
    expect(isJsonPointer(value)).toBe(false);
  });

  it('name the whole document when empty', () => {
    expect(isJsonPointer('')).toBe(true);
    expect(valueAt(7, parsePointer(''))).toBe(7);
  });
});
