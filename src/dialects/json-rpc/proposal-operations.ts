import { Type } from 'typebox';
import type { CallEntry } from '../../calls/call-tool.ts';
import {
  actorCaller,
  type TenantAddress,
  type TenantOperationContext,
  tenantOperation,
} from '../../platform/input/operation.ts';
import { PROPOSAL_VIEW, type Proposals } from '../../registrations/proposals/proposals.ts';
import {
  type DecodeLimits,
  decodeProposalRequest,
  decodeProposalTest,
} from '../../registrations/request/decode-registration.ts';
import { readProposalId } from '../../registrations/request/id-forms.ts';
import { PROPOSAL_REQUEST, PROPOSAL_TEST } from '../../registrations/request/registration-input.ts';
import type { RequestFacts } from '../route.ts';
import { callUnlisted } from './call-context.ts';
import { TEST_VIEW, testProposal } from './test-proposal.ts';

export interface ProposalOperationsDeps {
  readonly registrations: { readonly proposals: Proposals };
  readonly callEntry: CallEntry;
  readonly limits: DecodeLimits;
}

/** A test is a call, which is recorded with its request. */
interface TestContext extends TenantOperationContext {
  readonly request: RequestFacts;
}

/** What the audit log shows as the client. */
const CLIENT_NAME = 'Proposal';

const ID = { id: Type.String({ description: 'Id of the proposal.' }) };

const tenantAddress = (
  operation: string,
  path: '' | '/:id' | '/:id/test',
  more: Partial<TenantAddress>,
): TenantAddress => ({
  path: `/api/v1/register/proposals${path}`,
  operation,
  tag: 'Registration',
  ...more,
  statuses: { ...(path && { 404: UNKNOWN }), ...more.statuses },
});

const UNKNOWN =
  'Your tenant has no proposal with this id: it lives an hour, until it is registered.';

/**
 * What the gateway knows of a description before it is registered (docs/contract.md#proposals). Here, since a test is a call,
 * which registrations know nothing of.
 */
export const createProposalOperations = ({
  registrations: { proposals },
  callEntry,
  limits,
}: ProposalOperationsDeps) => ({
  'POST /tenants/:tenant/proposals': tenantOperation('key', {
    address: tenantAddress('proposeApi', '', {
      description:
        'Finds the description of a dataset and proposes what to add to it: where the key goes, where the rows are, what its codes mean. Nothing is registered.',
      body: PROPOSAL_REQUEST,
      statuses: {
        400: 'The request is not valid, or the address must not be called or leads back to the gateway.',
        413: 'The description is too large.',
        422: 'There is a page or a document, but no description.',
        429: 'Four searches of your tenant wait already, or the earlier ones left no time for this one.',
        502: 'The address cannot be reached.',
        504: 'The search took too long.',
      },
    }),
    name: 'proposals find',
    summary: 'Propose how to register a dataset.',
    input: PROPOSAL_REQUEST.properties,
    output: PROPOSAL_VIEW,
    example: { source: '15085288' },
    checksInput: true,
    maxDocumentBytes: limits.maxDocumentBytes,
    handle: async (context, members) =>
      proposals.create(actorCaller(context), decodeProposalRequest(members, limits)),
  }),
  'GET /tenants/:tenant/proposals/:id': tenantOperation('key', {
    address: tenantAddress('getProposal', '/:id', {}),
    name: 'proposals show',
    summary: 'Show a proposal.',
    input: ID,
    output: PROPOSAL_VIEW,
    handle: async (context, { id }) => proposals.get(actorCaller(context), readProposalId(id)),
  }),
  'POST /tenants/:tenant/proposals/:id/test': tenantOperation('key', {
    address: tenantAddress('testProposal', '/:id/test', {
      description:
        'Shows five rows at most. A pointer that finds nothing in a response that has rows is corrected. A response that counts rows and shows none is `no_data`. Six tests a minute; each is recorded.',
      body: PROPOSAL_TEST,
      statuses: {
        400: 'The request is not valid.',
        422: 'The operation cannot become a tool.',
        429: 'More than six tests a minute.',
      },
    }),
    name: 'proposals test',
    summary: 'Test an operation of a proposal by a call.',
    input: { ...ID, ...PROPOSAL_TEST.properties },
    output: TEST_VIEW,
    example: {
      operation: 'GET /getUVIdxV5',
      arguments: { areaNo: '1100000000' },
      auth: { type: 'provider_key', name: 'PUBLIC_DATA_SERVICE_KEY' },
    },
    takesSecret: true,
    checksInput: true,
    handle: async (context: TestContext, { id, ...members }) => {
      const caller = actorCaller(context);
      const test = { id: readProposalId(id), ...decodeProposalTest(members, limits.urls) };
      const call = callUnlisted(callEntry, context.request, caller, CLIENT_NAME);
      return testProposal(proposals, caller, test, call);
    },
  }),
});
