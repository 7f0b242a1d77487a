import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cardNumber,
  disguisedNumber,
  disguisedText,
  landlineNumber,
  mailAddress,
  mobileNumber,
  newResidentNumber,
  oldResidentNumber,
  reveals,
  SEPARATED,
  somewhere,
  token,
} from '../../../test/support/disguises.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import { maskArguments } from './mask-arguments.ts';
import { maskClientName } from './mask-text.ts';
import { maskUrl } from './mask-url.ts';

const DISGUISED = {
  'a resident number with a check digit': disguisedNumber(oldResidentNumber),
  'a resident number issued since 2020': disguisedNumber(newResidentNumber),
  'a mobile number': disguisedNumber(mobileNumber),
  'a landline number': disguisedNumber(landlineNumber, SEPARATED),
  'a card number': disguisedNumber(cardNumber),
  'a mail address': disguisedText(mailAddress),
  'a token': disguisedText(token),
};

describe.each(Object.entries(DISGUISED))('%s in disguise', (_, disguised) => {
  it('cannot be read in masked arguments', () => {
    fc.assert(
      fc.property(disguised, somewhere, ({ plain, text }, put) => {
        const kept = JSON.stringify(maskArguments(put(text)));
        expect(reveals(kept, plain), kept).toBe(false);
        expect(kept).toMatch(/\[masked:|\[long name\]/);
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('cannot be read in a masked address', () => {
    const urlWith = fc.constantFrom(
      (text: string) => `https://api.example.com/x?${new URLSearchParams({ a: '1', q: text })}`,
      (text: string) => `https://api.example.com/x?q=${encodeURIComponent(text)}&b=2`,
      (text: string) => `https://api.example.com/${encodeURIComponent(text)}/name`,
    );
    fc.assert(
      fc.property(disguised, urlWith, ({ plain, text }, put) => {
        const kept = maskUrl(put(text));
        expect(reveals(kept, plain), kept).toBe(false);
        expect(kept).toMatch(/\[masked:|\[long name\]/);
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it("cannot be read in a client's name, however it was cut", () => {
    fc.assert(
      fc.property(disguised, fc.integer({ min: 0, max: 100 }), ({ plain, text }, length) => {
        const kept = maskClientName(`client ${'x'.repeat(length)} ${text}`.slice(0, 100));
        expect(reveals(kept, plain), kept).toBe(false);
      }),
      { numRuns: MANY_RUNS },
    );
  });
});
