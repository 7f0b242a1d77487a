import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase, TEST_BACKENDS } from '../../../test/support/databases.ts';
import { AdminFile } from './admin-answers.ts';
import { createTrailRoutes } from './trail.ts';

it('exports the trail of a tenant twice at once, and that of the gateway, too', async () => {
  const place = await TEST_BACKENDS[0]?.makePlace();
  if (!place) throw new Error('No backend.');
  const { db, close } = await openTestDatabase(place);
  onTestFinished(async () => {
    await close();
    await place.remove();
  });
  const routes = createTrailRoutes({ db });
  const format = 'ndjson' as const;
  const ofTenant = (id: string) =>
    routes['GET /tenants/:tenant/trail/export'].handle({ tenant: { id } } as never, { format });
  const ofGateway = () => routes['GET /trail/export'].handle({} as never, { format });
  const file = await ofTenant('ten_a');
  for (const begin of [() => ofTenant('ten_a'), ofGateway, ofGateway]) {
    expect(await begin()).toBeInstanceOf(AdminFile);
  }
  for (const begin of [() => ofTenant('ten_a'), ofGateway]) {
    expect(begin).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  }
  await ofTenant('ten_b');
  await Array.fromAsync(file.chunks);
  await ofTenant('ten_a');
});
