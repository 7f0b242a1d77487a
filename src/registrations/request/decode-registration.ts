import type { Static, TObject } from 'typebox';
import { createInputCheck } from '../../platform/input/input-check.ts';
import { type ArgumentIssue, GatewayError, invalidArguments } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, own } from '../../platform/kernel/plain-json.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { cleanText } from '../../tools/compile/clean-text.ts';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';
import { isHttpToken, isReservedHeader } from '../../tools/compile/http-names.ts';
import { overlayIssue } from '../../tools/compile/overlay.ts';
import type { ChosenExtension } from '../../tools/proposal.ts';
import { checkUrl, type UrlPolicy } from '../../upstreams/guard/check-url.ts';
import {
  type About,
  AUTH_MEMBERS,
  AUTH_NAMES,
  type AuthInput,
  aboutIn,
  MAX_EXTENSIONS,
  MAX_TOOL_DESCRIPTION_LENGTH,
  PROPOSAL_REQUEST,
  PROPOSAL_TEST,
  REGISTRATION,
  REGISTRATION_CHANGE,
  REGISTRATION_REFRESH,
} from './registration-input.ts';
import type {
  Authentication,
  AuthScheme,
  DescriptionSource,
  PastedSource,
  ProposalTest,
  RefreshRequest,
  RegistrationPatch,
  RegistrationRequest,
} from './registration-request.ts';

export interface DecodeLimits {
  readonly maxDocumentBytes: number;
  /** For `spec_url`, `base_url` and `token_url`; DNS is checked when they are requested. */
  readonly urls: UrlPolicy;
}

/** Members that the schema accepts; those that have an issue are absent. */
type Sound<Schema extends TObject> = Partial<Static<Schema>>;

interface CheckContext {
  /** Notes an issue, unless the schema has found one at this place. */
  readonly note: (path: string, message: string) => void;
  readonly urls: UrlPolicy;
  /** The body as it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
}

const REGISTRATION_SUBJECT = 'The registration is not valid';
const REFRESH_SUBJECT = 'The refresh is not valid';

/**
 * Creates the decoder of a body: `check` notes what the schema cannot say, and every issue is thrown at once.
 */
function createDecode<Schema extends TObject>(
  schema: Schema,
  subject: string,
  check: (members: Sound<Schema>, context: CheckContext) => void,
) {
  const issuesOf = createInputCheck(schema);
  return (body: unknown, urls: UrlPolicy): Static<Schema> => {
    if (!isObject(body)) {
      const message = 'The body must be a JSON object.';
      throw invalidArguments(subject, [{ path: '', message }]);
    }
    const members = readMembers(body);
    const { spec_raw: raw } = members;
    const isBytes = raw instanceof Uint8Array;
    const faulty = new Set<string>();
    // The schema knows only strings, not the bytes of a form.
    if (isBytes) members['spec_raw'] = '';
    const issues = [...issuesOf(members, faulty)];
    if (isBytes) members['spec_raw'] = raw;
    const note: CheckContext['note'] = (path, message) => {
      if (!faulty.has(path)) issues.push({ path, message });
    };
    check(soundIn(members, faulty) as Sound<Schema>, { note, urls, body });
    if (issues.length > 0) throw invalidArguments(subject, issues.sort(byPath));
    return members as Static<Schema>;
  };
}

const byPath = (a: ArgumentIssue, b: ArgumentIssue): number =>
  a.path < b.path ? -1 : Number(a.path > b.path);

/** Longer arrays are cut to a length that the schemas refuse: each entry could have issues. */
const MAX_READ = 101;

const FILTER_MEMBERS = ['tag', 'method', 'path', 'operationId'];

/** The members, without those that are absent inside `auth` and filters. */
function readMembers(body: object): Record<string, unknown> {
  const members: Record<string, unknown> = { ...body };
  if ('auth' in members) members['auth'] = withoutNulls(members['auth'], AUTH_NAMES);
  for (const [name, value] of Object.entries(members)) {
    if (!Array.isArray(value)) continue;
    const read = value.slice(0, name === 'extensions' ? MAX_EXTENSIONS + 1 : MAX_READ);
    const isFilter = name === 'include' || name === 'exclude';
    members[name] = isFilter ? read.map((filter) => withoutNulls(filter, FILTER_MEMBERS)) : read;
  }
  return members;
}

/** Without members of these names that are null; a value that is not an object stays. */
function withoutNulls<Value>(value: Value, names: readonly string[]): Value {
  if (!isObject(value)) return value;
  const isAbsent = ([name, member]: [string, unknown]): boolean =>
    member === undefined || (member === null && names.includes(name));
  return Object.fromEntries(Object.entries(value).filter((entry) => !isAbsent(entry))) as Value;
}

/** The members without faults; of `auth`, its members without faults. */
function soundIn(members: object, faulty: ReadonlySet<string>): object {
  const tops = new Set([...faulty].map((path) => path.split('/', 2)[1]));
  const sound = Object.entries(members).filter(([name]) => !tops.has(name));
  const { auth } = members as { readonly auth?: unknown };
  // Without a type, it is not known which members it needs.
  if (tops.has('auth') && isObject(auth) && !faulty.has('/auth') && !faulty.has('/auth/type')) {
    const rest = Object.entries(auth).filter(([name]) => !faulty.has(pointerTo('/auth', name)));
    sound.push(['auth', Object.fromEntries(rest)]);
  }
  return Object.fromEntries(sound);
}

const decodeMembers = createDecode(REGISTRATION, REGISTRATION_SUBJECT, (members, context) => {
  const given = ['spec_url', 'spec_raw', 'proposal_id'].filter((name) =>
    isGiven(context.body, name),
  );
  if (given.length === 0) {
    context.note('/spec_url', 'is required, or `spec_raw` with the description itself.');
  } else if (given.length > 1 && given.includes('proposal_id')) {
    context.note('/proposal_id', 'must not be sent together with `spec_url` or `spec_raw`.');
  }
  checkSource(members, context);
  checkExtensions(members, context);
  checkBaseUrl(members, context);
  checkAuth(members.auth, context);
});

const decodeChange = createDecode(
  REGISTRATION_CHANGE,
  REGISTRATION_SUBJECT,
  ({ auth, descriptions, extensions }, context) => {
    checkAuth(auth, context);
    checkExtensions({ extensions }, context);
    for (const [tool, text] of Object.entries(descriptions ?? {})) {
      if (text === null || cleanDescription(text) !== '') continue;
      const message = 'must contain visible text. Send null to remove it.';
      context.note(pointerTo('/descriptions', tool), message);
    }
  },
);

const decodeRefreshMembers = createDecode(REGISTRATION_REFRESH, REFRESH_SUBJECT, checkSource);

/**
 * Decodes the body of `POST /api/v1/register` (docs/contract.md#registration). Throws `invalid_arguments` with every issue
 * at once, and `too_large` for a description over the limit.
 */
export function decodeRegistration(body: unknown, limits: DecodeLimits): RegistrationRequest {
  const members = decodeMembers(body, limits.urls);
  const { proposal_id: proposalId, include, exclude = [], extensions = [] } = members;
  const source = sourceOf(members, limits);
  return {
    name: members.name.trim(),
    source: proposalId === undefined ? source : { ...source, proposalId },
    authentication: decodedAuth(members.auth),
    options: {
      about: aboutIn(members) as About,
      baseUrl: members.base_url ?? null,
      include: include ? filtersOf(include) : null,
      exclude: filtersOf(exclude),
      ...(extensions.length > 0 && { extensions: extensions.map(chosen) }),
    },
    confirmedOrigins: members.confirm_origins ?? [],
    isDryRun: members.dry_run ?? false,
  };
}

/** Decodes the body of `PATCH /api/v1/registrations/:id`. Throws `invalid_arguments` with every issue at once. */
export function decodePatch(
  body: unknown,
  urls: UrlPolicy,
): RegistrationPatch & { readonly revision?: number } {
  const members = decodeChange(body, urls);
  const { revision, name, auth, descriptions, include, exclude, extensions } = members;
  const about = aboutIn(members);
  // In this order, in which the trail names them.
  return {
    ...(revision !== undefined && { revision }),
    ...(name !== undefined && { name: name.trim() }),
    ...(auth && { authentication: decodedAuth(auth) }),
    ...(descriptions && {
      descriptions: new Map(
        Object.entries(descriptions).map(([tool, text]) => [tool, text && cleanDescription(text)]),
      ),
    }),
    ...(Object.keys(about).length > 0 && { about }),
    ...(include !== undefined && { include: include && filtersOf(include) }),
    ...(exclude !== undefined && { exclude: filtersOf(exclude ?? []) }),
    ...(extensions && { extensions: extensions.map(chosen) }),
  };
}

/**
 * Decodes the body of `POST /api/v1/registrations/:id/refresh`. Throws `invalid_arguments` with every issue at once, and
 * `too_large` for a description over the limit.
 */
export function decodeRefresh(
  body: unknown,
  limits: DecodeLimits,
): RefreshRequest & { readonly revision: number | undefined } {
  const { dry_run, confirm_origins, revision, ...source } = decodeRefreshMembers(body, limits.urls);
  return {
    source: sourceOf(source, limits),
    isDryRun: dry_run ?? false,
    confirmedOrigins: confirm_origins ?? [],
    revision,
  };
}

const PROPOSAL_SUBJECT = 'The request for a proposal is not valid';

const decodeProposalMembers = createDecode(
  PROPOSAL_REQUEST,
  PROPOSAL_SUBJECT,
  (members, { note, urls, body }) => {
    const [source, raw] = ['source', 'spec_raw'].map((name) => isGiven(body, name));
    if (source === raw) {
      note('/source', source ? 'must not be sent together with `spec_raw`.' : SOURCE_REQUIRED);
    }
    if (isEmpty(members.spec_raw)) note('/spec_raw', 'must not be empty.');
    const { source: pasted } = members;
    if (pasted !== undefined && /^https?:/i.test(pasted.trim())) {
      checkAddress({ note, urls, body }, '/source', pasted.trim());
    } else if (pasted !== undefined && !/^[\w.]+\/|^\d{5,15}$/.test(pasted.trim())) {
      note('/source', SOURCE_FORMS);
    }
  },
);

const SOURCE_FORMS =
  'must be the number of a dataset, such as 15085288, or an address that starts with https://.';
const SOURCE_REQUIRED = `is required, or \`spec_raw\` with the description itself: it ${SOURCE_FORMS}`;

/** Decodes the body of `POST /api/v1/register/proposals`. */
export function decodeProposalRequest(body: unknown, limits: DecodeLimits): PastedSource {
  const { source, spec_raw: raw = '' } = decodeProposalMembers(body, limits.urls);
  return source === undefined ? { document: documentIn(raw, limits) } : { text: source };
}

const decodeTestMembers = createDecode(
  PROPOSAL_TEST,
  'The test is not valid',
  (members, context) => {
    checkAuth(members.auth, context);
    checkBaseUrl(members, context);
    checkExtensions(members, context);
  },
);

/** Decodes the body of `POST /api/v1/register/proposals/:id/test`. */
export function decodeProposalTest(body: unknown, urls: UrlPolicy): ProposalTest {
  const members = decodeTestMembers(body, urls);
  const { operation, arguments: args = {}, auth, extensions } = members;
  return {
    operation,
    baseUrl: members.base_url ?? null,
    arguments: args,
    authentication: decodedAuth(auth),
    extensions: extensions?.map(chosen),
  };
}

export const refuse = (issues: readonly ArgumentIssue[]): GatewayError =>
  invalidArguments(REGISTRATION_SUBJECT, issues);

export const refuseRefresh = (issues: readonly ArgumentIssue[]): GatewayError =>
  invalidArguments(REFRESH_SUBJECT, issues);

interface SourceMembers {
  readonly spec_url?: string;
  readonly spec_raw?: Description;
}

/** Bytes if it came as a part of a form. */
type Description = string | Uint8Array;

const isEmpty = (raw: Description | undefined): boolean =>
  raw !== undefined && (typeof raw === 'string' ? raw.trim() : raw).length === 0;

const isGiven = (body: CheckContext['body'], name: string): boolean =>
  (own(body, name) ?? null) !== null;

function checkSource(members: SourceMembers, context: CheckContext): void {
  const { note, body } = context;
  checkAddress(context, '/spec_url', members.spec_url);
  if (isGiven(body, 'spec_url') && isGiven(body, 'spec_raw')) {
    note('/spec_raw', 'must not be sent together with `spec_url`. Send one of the two.');
  } else if (isEmpty(members.spec_raw)) {
    note('/spec_raw', 'must be a string with an OpenAPI description in JSON or YAML.');
  }
}

/** Each wrong one is named: they are chosen by hand. */
function checkExtensions(
  { extensions = [] }: { readonly extensions?: ExtensionInputs | undefined },
  { note }: CheckContext,
): void {
  for (const [index, extension] of extensions.entries()) {
    const issue = overlayIssue(chosen(extension));
    if (issue) note(`/extensions/${index}`, issue);
  }
}

type ExtensionInputs = NonNullable<Static<typeof REGISTRATION>['extensions']>;

const chosen = ({
  operation = null,
  extension,
  value,
}: ExtensionInputs[number]): ChosenExtension => ({
  operation,
  extension,
  value,
});

function sourceOf(
  { spec_url: url, spec_raw: raw }: SourceMembers,
  limits: DecodeLimits,
): DescriptionSource {
  const document = raw === undefined ? null : documentIn(raw, limits);
  return { descriptionUrl: url ?? null, document };
}

function documentIn(raw: Description, { maxDocumentBytes }: DecodeLimits): Uint8Array {
  const document = typeof raw === 'string' ? Buffer.from(raw) : raw;
  if (document.byteLength <= maxDocumentBytes) return document;
  throw new GatewayError(
    'too_large',
    `The API description is larger than ${maxDocumentBytes} bytes. Split it.`,
  );
}

function checkBaseUrl(members: { readonly base_url?: string }, context: CheckContext): void {
  const { base_url: address } = members;
  checkAddress(context, '/base_url', address);
  if (/[?#]/.test(address ?? '')) context.note('/base_url', 'must not have a query or a fragment.');
}

function checkAddress(
  { note, urls }: CheckContext,
  path: string,
  address: string | undefined,
): void {
  if (address === undefined) return;
  try {
    checkUrl(address, urls);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    note(path, error.message.replace(/^The address /, ''));
  }
}

/** What a header can carry: other characters would be altered on the way. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

function checkAuth(auth: AuthInput | undefined, context: CheckContext): void {
  if (!auth) return;
  const { note, urls, body } = context;
  const { needs, takes } = AUTH_MEMBERS[auth.type];
  const sent = own(body, 'auth');
  for (const name of isObject(sent) ? Object.keys(sent) : []) {
    if (name === 'type' || [...needs, ...takes].includes(name)) continue;
    note(pointerTo('/auth', name), `is not a member of auth of type ${auth.type}.`);
  }
  for (const name of needs) if (auth[name] === undefined) note(`/auth/${name}`, 'is required.');
  const { token = '', key_name: keyName } = auth;
  if (token !== '' && auth.in !== 'query' && !HEADER_VALUE.test(token)) {
    note('/auth/token', 'must consist of ASCII characters, without spaces around them.');
  }
  if (auth.type === 'api_key' && keyName !== undefined) {
    if (auth.in !== 'query' && !isHttpToken(keyName)) {
      note('/auth/key_name', 'must be a name that HTTP allows.');
    }
    if (auth.in === 'header' && isReservedHeader(keyName)) {
      note('/auth/key_name', 'must not be a header that the gateway itself sends.');
    }
  }
  if (auth.type !== 'oauth2_client_credentials') return;
  checkAddress(context, '/auth/token_url', auth.token_url);
  // RFC 6749 section 3.2 requires TLS: every request there contains the client secret.
  if (!urls.allowPrivate && /^http:/i.test(auth.token_url ?? '')) {
    note('/auth/token_url', 'must start with https://: the client secret is sent there.');
  }
}

const NO_AUTHENTICATION: Authentication = { scheme: { type: 'none' }, credentials: {} };

/** The credentials become secrets at once. */
function decodedAuth(auth: AuthInput | undefined): Authentication {
  if (!auth) return NO_AUTHENTICATION;
  const { type, token, username, password, client_secret } = auth;
  const credentials = { token, username, password, client_secret };
  const sent = Object.entries(credentials).filter((entry) => entry[1] !== undefined);
  return {
    scheme: schemeOf(auth, type),
    credentials: Object.fromEntries(sent.map(([name, text = '']) => [name, new Secret(text)])),
  };
}

function schemeOf(auth: AuthInput, type: AuthScheme['type']): AuthScheme {
  if (type === 'api_key') return { type, in: auth.in ?? 'header', keyName: auth.key_name ?? '' };
  if (type === 'provider_key') return { type, name: auth.name ?? '' };
  if (type !== 'oauth2_client_credentials') return { type };
  const { token_url: tokenUrl = '', client_id: clientId = '', scope = null } = auth;
  return { type, tokenUrl, clientId, scope };
}

type FilterInputs = NonNullable<Static<typeof REGISTRATION>['include']>;

const filtersOf = (filters: FilterInputs): readonly OperationFilter[] =>
  filters.map((filter) =>
    filter.method === undefined ? filter : { ...filter, method: filter.method.toLowerCase() },
  );

/** Cleaned as the texts of documents are. */
const cleanDescription = (text: string): string => cleanText(text, MAX_TOOL_DESCRIPTION_LENGTH);
