import { describe, expect, test } from 'vitest';
import { corpusDocuments } from './documents.ts';
import { isKnown } from './known-disagreements.ts';
import { type Played, playDocument } from './play.ts';
import { recordedTable, sharesOf, sharesTable } from './shares.ts';

const documents = corpusDocuments();
const played = new Map<string, Played>();

/** Documents that have nothing to call, and why. */
const WITHOUT_PATHS = /webhooks\.(json|yaml)$|title\.json$/;

describe('descriptions of others', () => {
  test('are more than thirty besides the examples of one package', () => {
    expect(documents.filter(({ name }) => !name.startsWith('@readme/')).length).toBeGreaterThan(30);
  });

  test.each(documents)(
    '$name: is compiled, and its calls are what it describes',
    async (document) => {
      const result = await playDocument(document);
      played.set(document.name, result);
      const { name, refusal, operations, called, issues } = result;
      expect(refusal === null && called > 0).toBe(!WITHOUT_PATHS.test(name));
      for (const { outcome, reason } of operations) {
        if (outcome === 'accepted') expect(reason).toBeNull();
        else expect(reason).toMatch(/^\S.*\S$/);
        // On a machine that is too busy to tell.
        expect(reason ?? '').not.toContain('take too long');
      }
      const unknown = issues.filter((issue) => !isKnown(name, issue.replace(/^.*?: /, '')));
      expect(unknown).toEqual([]);
    },
  );

  test('are accepted, changed and refused as docs/openapi-report.md says', async () => {
    const all: Played[] = [];
    for (const document of documents) {
      all.push(played.get(document.name) ?? (await playDocument(document)));
    }
    // `npm run descriptions:record` writes it. A lower share needs a reason.
    expect(sharesTable(sharesOf(all))).toBe(recordedTable());
  });
});
