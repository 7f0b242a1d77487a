import { Type } from 'typebox';
import type { OpenRegistrations } from '../../../registrations/open-registrations.ts';
import { decodeCursor, encodeCursor } from '../../../registrations/registration-cursor.ts';
import type { Registrations } from '../../../registrations/registrations.ts';
import { decodePatch } from '../../../registrations/request/decode-patch.ts';
import { decodeRefresh } from '../../../registrations/request/decode-refresh.ts';
import type { DecodeLimits } from '../../../registrations/request/decode-registration.ts';
import { readRegistrationId } from '../../../registrations/request/id-forms.ts';
import { maxJsonBytes } from '../../../registrations/request/max-json-bytes.ts';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import type { Statistics } from '../../../statistics/statistics.ts';
import type { Catalog } from '../../../tools/catalog/catalog.ts';
import { registeredToolId } from '../../../tools/catalog-entry.ts';
import { type AdminRoutes, tenantRoute } from '../admin-route.ts';
import { personCaller } from '../person-caller.ts';
import { bodyReader, ID, PATCH_INPUT, REFRESH_INPUT, withDocument } from './registration-inputs.ts';

export interface RegistrationRouteDeps {
  readonly registrations: Pick<
    Registrations,
    'list' | 'patch' | 'refresh' | 'delete' | 'forPeople'
  > &
    Pick<OpenRegistrations, 'ready'>;
  readonly catalog: Pick<Catalog, 'findById'>;
  readonly statistics: Pick<Statistics, 'prefixCalls'>;
  /** Reads a large body on a thread. */
  readonly split: DescriptionCompiler['split'];
  readonly limits: DecodeLimits;
}

/** The APIs that a tenant has registered. */
export const createRegistrationRoutes = (deps: RegistrationRouteDeps) =>
  ({
    ...createReadRoutes(deps),
    ...createChangeRoutes(deps),
  }) satisfies AdminRoutes;

const createReadRoutes = ({ registrations, catalog, statistics }: RegistrationRouteDeps) => ({
  'GET /tenants/:tenant/registrations': tenantRoute('viewer', {
    input: {
      cursor: Type.Optional(Type.String({ maxLength: 100 })),
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
    },
    handle: async ({ tenant }, { cursor, limit }) => {
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const page = await registrations.list({ tenantId: tenant.id }, { cursor: after, limit });
      const nextCursor = page.nextCursor === null ? null : encodeCursor(page.nextCursor);
      const prefixes = page.registrations.map(({ slug }) =>
        registeredToolId({ tenantSlug: tenant.slug, slug }, ''),
      );
      const used = await statistics.prefixCalls(tenant.id, prefixes);
      return {
        registrations: page.registrations.map((registration, at) => ({
          ...registration,
          calls: used[at]?.calls ?? 0,
          failures: used[at]?.failures ?? 0,
        })),
        nextCursor,
      };
    },
  }),
  'GET /tenants/:tenant/registrations/:id': tenantRoute('viewer', {
    input: ID,
    handle: async (context, { id }) => {
      const { tenant } = context;
      const known = readRegistrationId(id);
      const found = await registrations.forPeople.registration(tenant.id, known);
      await registrations.ready(tenant.id);
      const caller = personCaller(context);
      const tools = found.tools.map((tool) => {
        const listed = catalog.findById(caller, tool.id);
        const { method, path } = listed?.tool ?? { method: null, path: null };
        return { ...tool, description: listed?.description ?? null, method, path };
      });
      return { ...found, tools };
    },
  }),
  'GET /tenants/:tenant/registrations/:id/report': tenantRoute('viewer', {
    input: ID,
    handle: async ({ tenant }, { id }) => ({
      report: await registrations.forPeople.report(tenant.id, readRegistrationId(id)),
    }),
  }),
});

const createChangeRoutes = ({ registrations, split, limits }: RegistrationRouteDeps) => ({
  'PATCH /tenants/:tenant/registrations/:id': tenantRoute('admin', {
    input: PATCH_INPUT,
    handle: async (context, { id, revision, ...members }) => {
      const patch = decodePatch(members, limits.urls);
      const caller = personCaller(context);
      return registrations.patch(caller, readRegistrationId(id), patch, revision);
    },
  }),
  'POST /tenants/:tenant/registrations/:id/refresh': tenantRoute('admin', {
    input: REFRESH_INPUT,
    maxBodyBytes: maxJsonBytes(limits.maxDocumentBytes),
    readBody: bodyReader(split),
    handle: async (context, { id, revision, ...body }) => {
      const { members, document } = withDocument(body);
      const refresh = decodeRefresh(members, limits, document);
      const caller = personCaller(context);
      return registrations.refresh(caller, readRegistrationId(id), refresh, revision);
    },
  }),
  'DELETE /tenants/:tenant/registrations/:id': tenantRoute('admin', {
    input: ID,
    handle: async (context, { id }) => ({
      deleted: await registrations.delete(personCaller(context), readRegistrationId(id)),
    }),
  }),
});
