import { Type } from 'typebox';
import type { CallEntry } from '../../../calls/call-tool.ts';
import { actorCaller } from '../../../platform/input/operation.ts';
import type { OpenRegistrations } from '../../../registrations/open-registrations.ts';
import {
  type DecodeLimits,
  decodeProposalRequest,
  decodeProposalTest,
} from '../../../registrations/request/decode-registration.ts';
import { readProposalId } from '../../../registrations/request/id-forms.ts';
import {
  PROPOSAL_REQUEST,
  PROPOSAL_TEST,
} from '../../../registrations/request/registration-input.ts';
import { callUnlisted } from '../../json-rpc/call-context.ts';
import { testProposal } from '../../json-rpc/test-proposal.ts';
import { type AdminRoutes, tenantRoute } from '../admin-route.ts';
import { checkedLater, ID } from './registration-inputs.ts';

export interface ProposalRouteDeps {
  readonly registrations: Pick<OpenRegistrations, 'proposals'>;
  readonly callEntry: CallEntry;
  readonly limits: DecodeLimits;
}

/** What the audit log shows as the client. */
const CLIENT_NAME = 'Dashboard';

/** Proposals for descriptions that are not registered yet, and calls that test them. */
export const createProposalRoutes = ({ registrations, callEntry, limits }: ProposalRouteDeps) =>
  ({
    'POST /tenants/:tenant/proposals': tenantRoute('admin', {
      input: checkedLater(PROPOSAL_REQUEST.properties),
      maxDocumentBytes: limits.maxDocumentBytes,
      handle: async (context, members) =>
        registrations.proposals.create(
          actorCaller(context),
          decodeProposalRequest(members, limits),
        ),
    }),
    'GET /tenants/:tenant/proposals/:id': tenantRoute('viewer', {
      input: ID,
      handle: async (context, { id }) =>
        registrations.proposals.get(actorCaller(context), readProposalId(id)),
    }),
    'POST /tenants/:tenant/proposals/:id/test': tenantRoute('admin', {
      input: {
        ...ID,
        ...checkedLater(PROPOSAL_TEST.properties),
        operation: Type.String({ maxLength: 1_000 }),
      },
      handle: async (context, { id, ...members }) => {
        const { request } = context;
        const caller = actorCaller(context);
        const test = { id: readProposalId(id), ...decodeProposalTest(members, limits.urls) };
        const call = callUnlisted(callEntry, request, caller, CLIENT_NAME);
        return testProposal(registrations.proposals, caller, test, call);
      },
    }),
  }) satisfies AdminRoutes;
