import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores } from '../../../test/support/databases.ts';
import {
  openRegistrationPlace,
  type RegistrationPlace,
} from '../../../test/support/registrations.ts';
import { insertDocument, openDocument, packDocument } from './documents.ts';

describeStores('a stored description', (backend) => {
  let here: RegistrationPlace;
  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
  });
  afterEach(() => here.close());

  const stored = async (text: string) => {
    const document = await packDocument(Buffer.from(text));
    await insertDocument(here.database.db, here.ours, document);
    return openDocument(here.database.db, document.id);
  };

  it('is large by what it contains, however well that is compressed', async () => {
    const repeated = 'a: &a [b]\n'.repeat(500_000);
    const large = await stored(repeated);
    expect(large?.isLarge).toBe(true);
    expect(Buffer.from((await large?.read()) ?? []).toString() === repeated).toBe(true);
    const small = await stored(repeated.slice(0, 500 * 1024));
    expect(small?.isLarge).toBe(false);
    expect(await openDocument(here.database.db, 'doc_unknown')).toBeUndefined();
  });
});
