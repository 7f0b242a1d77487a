import { expect, it } from 'vitest';
import { describeStores } from '../../test/support/databases.ts';
import { registerApi } from '../../test/support/register-api.ts';
import { openRegistrationPlace, smallSteps } from '../../test/support/registrations.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { createCatalog } from '../tools/catalog/catalog.ts';
import { openRegistrations } from './open-registrations.ts';

const none = () => Promise.reject(new Error('Nothing is sent.'));

describeStores('registrations as a whole', (backend) => {
  it('close without waiting for the descriptions that are still to be loaded', async () => {
    const here = await openRegistrationPlace(backend);
    await registerApi(here, here.ours, { name: 'Pets' });
    const { promise: closed, reject: end } = Promise.withResolvers<never>();
    closed.catch(() => undefined);
    const errors: unknown[] = [];
    const registrations = await openRegistrations({
      ...here.deps,
      catalog: createCatalog({ presets: [] }),
      compiler: {
        compile: smallSteps().compile,
        load: () => closed,
        stampOf: () => '',
        unpack: none,
        split: none,
        close: async () => end(new GatewayError('unavailable')),
      },
      client: { send: none },
      tokens: { get: none, renew: none },
      fetchDocument: none,
      maxLayerBytes: 1_000_000,
      onChanged: () => undefined,
      decodePortalKey: (key) => key,
      onListChanged: () => undefined,
      onError: (error) => void errors.push(error),
    });
    const first = Promise.resolve(registrations.ready(here.ours));
    const refused = expect(first).rejects.toMatchObject({ code: 'unavailable' });
    await registrations.close();
    await refused;
    expect(errors).toEqual([]);
    await here.close();
  });
});
