import { Type } from 'typebox';
import type { CallEntry } from '../../../calls/call-tool.ts';
import { CallFailure, type CallOutcome } from '../../../calls/tool-call.ts';
import { actorCaller } from '../../../platform/input/operation.ts';
import type { OpenRegistrations } from '../../../registrations/open-registrations.ts';
import {
  type DecodeLimits,
  decodeAuthentication,
} from '../../../registrations/request/decode-registration.ts';
import { readJobId, readRegistrationId } from '../../../registrations/request/id-forms.ts';
import type { AuthInput } from '../../../registrations/request/registration-input.ts';
import type { TrialRequest } from '../../../registrations/serving/trials.ts';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import type { Tool } from '../../../tools/model.ts';
import { callUnlisted } from '../../json-rpc/call-unlisted.ts';
import { type AdminRoutes, type TenantContext, tenantRoute } from '../admin-route.ts';
import { AUTH, ID } from './registration-inputs.ts';

export interface TrialRouteDeps {
  readonly registrations: Pick<OpenRegistrations, 'trials'>;
  readonly callEntry: CallEntry;
  readonly limits: Pick<DecodeLimits, 'urls'>;
}

/** What the audit log shows as the client. */
const CLIENT_NAME = 'Dashboard';

/** Bytes of a response that are shown as a value. Of a longer one, its beginning is shown as text. */
const MAX_SHOWN_BYTES = 256 * 1024;
const MAX_TEXT_BYTES = 16 * 1024;

const TOOL = { tool: Type.String({ minLength: 1, maxLength: 200 }) };

const TRIAL_INPUT = {
  ...ID,
  ...AUTH,
  ...TOOL,
  arguments: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', default: {} }),
};

/** Calls of tools that are not registered yet, or wait for approval. They are recorded as every call is. */
export const createTrialRoutes = ({ registrations, callEntry, limits }: TrialRouteDeps) => {
  const requestOf = ({ tool, auth }: TrialInput): TrialRequest => ({
    tool,
    authentication: auth === undefined ? undefined : decodeAuthentication(auth, limits.urls),
  });
  const call = async (context: TenantContext, entry: CatalogEntry, args: object) => {
    const run = callUnlisted(callEntry, context.request, actorCaller(context), CLIENT_NAME);
    const startedMs = performance.now();
    const result = await run(entry, { ...args });
    return { ...toTrial(result), durationMs: Math.round(performance.now() - startedMs) };
  };
  return {
    'GET /tenants/:tenant/registration-jobs/:id/tools/:tool': tenantRoute('viewer', {
      input: { ...ID, ...TOOL },
      handle: async (context, { id, tool }) =>
        toDescription(
          await registrations.trials.describeOfJob(actorCaller(context), readJobId(id), tool),
        ),
    }),
    'GET /tenants/:tenant/registrations/:id/tools/:tool': tenantRoute('viewer', {
      input: { ...ID, ...TOOL },
      handle: async (context, { id, tool }) => {
        const caller = actorCaller(context);
        const known = readRegistrationId(id);
        return toDescription(
          await registrations.trials.describeOfRegistration(caller, known, tool),
        );
      },
    }),
    'POST /tenants/:tenant/registration-jobs/:id/try': tenantRoute('admin', {
      input: TRIAL_INPUT,
      handle: async (context, { id, ...input }) => {
        const caller = actorCaller(context);
        const { trials } = registrations;
        const entry = await trials.ofJob(caller, readJobId(id), requestOf(input));
        return call(context, entry, input.arguments);
      },
    }),
    'POST /tenants/:tenant/registrations/:id/try': tenantRoute('admin', {
      input: TRIAL_INPUT,
      handle: async (context, { id, ...input }) => {
        const caller = actorCaller(context);
        const { trials } = registrations;
        const entry = await trials.ofRegistration(caller, readRegistrationId(id), requestOf(input));
        return call(context, entry, input.arguments);
      },
    }),
  } satisfies AdminRoutes;
};

/** A tool as the description alone makes it. */
const toDescription = ({ name, description, inputSchema, method, path, baseUrl }: Tool) => ({
  name,
  description,
  inputSchema,
  method,
  path,
  baseUrl,
});

interface TrialInput {
  readonly tool: string;
  readonly auth?: AuthInput;
}

/** What a trial came to: the response of the API, or why there was none. */
function toTrial(result: CallOutcome | CallFailure) {
  const { auditId } = result;
  if (result instanceof CallFailure) {
    const { code, message, details } = result.error;
    return { auditId, error: { code, message, errors: details.errors ?? [] }, response: null };
  }
  const { entry, response, isError } = result;
  const { json, status, url, publicData } = response;
  const isWhole = json.length <= MAX_SHOWN_BYTES;
  return {
    auditId,
    error: null,
    response: {
      method: entry.tool.method,
      url,
      status,
      isError,
      publicData: publicData ?? null,
      bytes: json.length,
      data: isWhole ? (JSON.parse(json.toString('utf8')) as unknown) : null,
      beginning: isWhole ? null : json.subarray(0, MAX_TEXT_BYTES).toString('utf8'),
    },
  };
}
