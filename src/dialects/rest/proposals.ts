import type { CallEntry } from '../../calls/call-tool.ts';
import type { OpenRegistrations } from '../../registrations/open-registrations.ts';
import { PROPOSAL_VIEW } from '../../registrations/proposals/proposals.ts';
import {
  type DecodeLimits,
  decodeProposalRequest,
  decodeProposalTest,
} from '../../registrations/request/decode-registration.ts';
import { readProposalId } from '../../registrations/request/id-forms.ts';
import { maxJsonBytes } from '../../registrations/request/max-json-bytes.ts';
import { PROPOSAL_REQUEST, PROPOSAL_TEST } from '../../registrations/request/registration-input.ts';
import type { DescriptionCompiler } from '../../registrations/steps/description-compiler.ts';
import { callUnlisted } from '../json-rpc/call-unlisted.ts';
import { readMembers } from '../json-rpc/read-members.ts';
import { refusal } from '../json-rpc/refusals.ts';
import { TEST_VIEW, testProposal } from '../json-rpc/test-proposal.ts';
import type { Route, RouteRequest } from '../route.ts';
import { registrationRoute } from './registrations.ts';

export interface ProposalRoutesDeps {
  readonly registrations: Pick<OpenRegistrations, 'proposals'>;
  readonly callEntry: CallEntry;
  /** Reads a large body on a thread. */
  readonly split: DescriptionCompiler['split'];
  readonly limits: DecodeLimits;
}

const PATH = '/api/v1/register/proposals';
const ID = { id: 'The id of the proposal.' };
const UNKNOWN = refusal(
  'Your tenant has no proposal with this id: it lives an hour, until it is registered.',
);
const CLIENT_NAME = 'Proposal';

/** What the gateway knows of a description before it is registered (docs/contract.md#proposals). */
export const createProposalRoutes = (deps: ProposalRoutesDeps): Route[] => [
  createRoute(deps),
  registrationRoute({
    method: 'GET',
    path: `${PATH}/:id`,
    operation: 'getProposal',
    summary: 'One proposal',
    params: ID,
    responses: { 200: { description: 'The proposal.', schema: PROPOSAL_VIEW }, 404: UNKNOWN },
    run: (caller, request) => deps.registrations.proposals.get(caller, idIn(request)),
  }),
  testRoute(deps),
];

const idIn = ({ params }: RouteRequest): string => readProposalId(params['id'] ?? '');

const createRoute = ({ registrations, split, limits }: ProposalRoutesDeps): Route =>
  registrationRoute({
    method: 'POST',
    path: PATH,
    operation: 'proposeApi',
    summary: 'Propose how to register a dataset',
    description:
      'Finds the description of a dataset and proposes what to add to it: where the key goes, where the rows are, what its codes mean. Nothing is registered.',
    bodies: {
      'application/json': {
        maxBytes: maxJsonBytes(limits.maxDocumentBytes),
        schema: PROPOSAL_REQUEST,
        examples: {
          number: { summary: 'A dataset of data.go.kr', value: { source: '15085288' } },
        },
      },
    },
    responses: {
      200: { description: 'The proposal.', schema: PROPOSAL_VIEW },
      400: refusal(
        'The request is not valid, or the address must not be called or leads back to the gateway.',
      ),
      413: refusal('The description is too large.'),
      422: refusal('There is a page or a document, but no description.'),
      429: refusal(
        'Four searches of your tenant wait already, or the earlier ones left no time for this one.',
      ),
      502: refusal('The address cannot be reached.'),
      504: refusal('The search took too long.'),
    },
    run: async (caller, request) => {
      const { members, document } = await readMembers(request, split);
      const source = decodeProposalRequest(members, limits, document);
      return registrations.proposals.create(caller, source);
    },
  });

const testRoute = ({ registrations, callEntry, split, limits }: ProposalRoutesDeps): Route =>
  registrationRoute({
    method: 'POST',
    path: `${PATH}/:id/test`,
    operation: 'testProposal',
    summary: 'Test an operation of a proposal by a call',
    description:
      'Shows five rows at most. A pointer that finds nothing in a response that has rows is corrected. A response that counts rows and shows none is `no_data`. Six tests a minute; each is recorded.',
    params: ID,
    body: {
      schema: PROPOSAL_TEST,
      examples: {
        own: {
          summary: 'With a provider key of the tenant',
          value: {
            operation: 'GET /getUVIdxV5',
            arguments: { areaNo: '1100000000' },
            auth: { type: 'provider_key', name: 'PUBLIC_DATA_SERVICE_KEY' },
          },
        },
      },
    },
    responses: {
      200: { description: 'What the call came to.', schema: TEST_VIEW },
      400: refusal('The request is not valid.'),
      404: UNKNOWN,
      422: refusal('The operation cannot become a tool.'),
      429: refusal('More than six tests a minute.'),
    },
    run: async (caller, request) => {
      const id = idIn(request);
      const test = decodeProposalTest((await readMembers(request, split)).members, limits.urls);
      const call = callUnlisted(callEntry, request, caller, CLIENT_NAME);
      return testProposal(registrations.proposals, caller, { id, ...test }, call);
    },
  });
