import {
  type Static,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
} from 'typebox';
import type { TextCheck } from '../../platform/input/input-check.ts';
import { list, ORIGINS, orNull } from '../../platform/input/schema.ts';

/**
 * What tenants send about their APIs: the only declaration of it, from which the checks, `/openapi.json` and the types of the
 * dashboard follow (docs/contract.md#registration). Rules that concern several members are in `decode-registration.ts`.
 */

export const MAX_CREDENTIAL_LENGTH = 8_192;
/** A description that a person writes in place of the document's. */
export const MAX_TOOL_DESCRIPTION_LENGTH = 4_000;

/**
 * Also what is invisible or reverses the text around it: a name must not look like another, and models read what people do
 * not see, such as tag characters.
 */
const CONTROL =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/u;

/** What longer texts may contain: line breaks, and the characters that join emoji. */
const MULTILINE = /[\t\r\n]|\u200d|\ufe0f/g;

const visible: TextCheck = (text) => {
  if (CONTROL.test(text)) return 'must not contain control characters or invisible ones.';
  return text.isWellFormed() ? undefined : 'must be valid Unicode.';
};

const line: TextCheck = (text) => (text.trim() === '' ? 'must not be empty.' : visible(text));

const lines: TextCheck = (text) => line(text.trim() && text.replace(MULTILINE, ''));

const lineLike =
  (pattern: RegExp, otherwise: string, before: TextCheck = line): TextCheck =>
  (text) =>
    before(text) ?? (pattern.test(text) ? undefined : otherwise);

/** Lengths count UTF-16 units: JSON Schema counts characters, which may be twice as long in what is stored. */
const text = (maxLength: number, check: TextCheck, options = {}) =>
  Type.String({
    maxLength,
    ...options,
    check: (value: string) =>
      value.length > maxLength ? `must have at most ${maxLength} characters.` : check(value),
  });

/** Characters of an address: too long for a URL is found here, what else is wrong with it by `checkUrl`. */
const url = (description: string) => text(2_048, line, { description });

const NAME = text(100, lineLike(/[\p{L}\p{N}]/u, 'must contain a letter or a digit.'));
const VISIBILITY = Type.Optional(
  Type.String({
    description: 'Only `private`: registered APIs are private to their tenant.',
    check: (value: string) => (value === 'private' ? undefined : ONLY_PRIVATE),
  }),
);
const ONLY_PRIVATE =
  'must be private: registered APIs are private to their tenant. To share one with all tenants, an operator makes it a preset with `tool-gateway presets from-registration`.';
const CATEGORY = text(
  40,
  lineLike(
    /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    'must be lower-case letters and digits, with single hyphens between them.',
  ),
  { description: 'Category of the tools: lower-case letters, digits and single hyphens.' },
);
const DESCRIPTION = text(2_000, lines, { description: 'What the API is for.' });

const credential = (description: string, check = line) =>
  Type.Optional(text(MAX_CREDENTIAL_LENGTH, check, { writeOnly: true, description }));

const OAUTH = 'For `oauth2_client_credentials`';

/** Which members each type has is in `AUTH_MEMBERS`. */
const AUTH = Type.Object(
  {
    type: Type.Enum(
      ['none', 'bearer', 'basic', 'api_key', 'provider_key', 'oauth2_client_credentials'],
      { writeOnly: true },
    ),
    token: credential('For `bearer` and `api_key`.'),
    // Some APIs take a key as one of the two and leave the other empty, so both are secret and both may be empty.
    username: credential(
      'For `basic`: the user name.',
      lineLike(/^[^:]*$/, 'must not contain a colon.', visible),
    ),
    password: credential('For `basic`.', visible),
    in: Type.Optional(
      Type.Enum(['header', 'query', 'cookie'], { writeOnly: true, description: 'For `api_key`.' }),
    ),
    key_name: Type.Optional(
      text(100, line, { description: 'For `api_key`: name of the header or parameter.' }),
    ),
    name: Type.Optional(
      text(100, lineLike(/^[A-Z][A-Z0-9_]*$/, 'must be a name such as PUBLIC_DATA_SERVICE_KEY.'), {
        description: 'For `provider_key`: name of a provider key that your tenant has stored.',
      }),
    ),
    token_url: Type.Optional(url(`${OAUTH}: where the gateway gets tokens.`)),
    client_id: Type.Optional(
      text(MAX_CREDENTIAL_LENGTH, line, {
        description: `${OAUTH}: id of the client.`,
      }),
    ),
    client_secret: credential(`${OAUTH}.`),
    scope: Type.Optional(
      text(MAX_CREDENTIAL_LENGTH, line, {
        description: `${OAUTH}: scope of the tokens.`,
      }),
    ),
  },
  {
    $id: 'Auth',
    // All of it: a credential may stand in a wrong place, and no message quotes what is write-only.
    writeOnly: true,
    description: 'What the gateway shows the API. It is encrypted and never returned.',
  },
);

export type AuthInput = Static<typeof AUTH>;

/** The members of `auth` besides `type`. */
export const AUTH_MEMBERS: Readonly<
  Record<AuthInput['type'], { needs: readonly (keyof AuthInput)[]; takes: readonly string[] }>
> = {
  none: { needs: [], takes: [] },
  bearer: { needs: ['token'], takes: [] },
  basic: { needs: ['username', 'password'], takes: [] },
  api_key: { needs: ['in', 'key_name', 'token'], takes: [] },
  provider_key: { needs: ['name'], takes: [] },
  oauth2_client_credentials: {
    needs: ['token_url', 'client_id', 'client_secret'],
    takes: ['scope'],
  },
};

export const AUTH_NAMES = Object.keys(AUTH.properties);

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

const method: TextCheck = (name) =>
  METHODS.includes(name.toLowerCase()) ? undefined : `must be one of: ${METHODS.join(', ')}.`;

/** A tag, a path pattern or an operationId. */
const FILTER_TEXT = Type.Optional(text(500, line));

/** `include` or `exclude`. */
const FILTERS = list(
  Type.Object(
    {
      tag: FILTER_TEXT,
      method: Type.Optional(text(500, method)),
      path: Type.Optional(text(500, line, { description: '`*` stands for any characters.' })),
      operationId: FILTER_TEXT,
    },
    { $id: 'OperationFilter', minProperties: 1, additionalProperties: false },
  ),
  100,
);

/** Extensions of one registration: as many as the proposal of a large description has. */
export const MAX_EXTENSIONS = 2_000;

const OPERATION_NAME = text(
  1_000,
  lineLike(/^[A-Z]+ \//, 'must be a method and a path, such as GET /forecast.'),
  { description: '`GET /path`; null for the document.' },
);

const EXTENSIONS = list(
  Type.Object(
    {
      operation: Type.Optional(orNull(OPERATION_NAME)),
      extension: text(40, line),
      value: Type.Unknown({ description: 'As in a proposal.' }),
    },
    { $id: 'ChosenExtension', additionalProperties: false },
  ),
  MAX_EXTENSIONS,
);

const PROPOSAL_ID = text(40, lineLike(/^prp_[0-9A-Z]{26}$/, 'must be the id of a proposal.'), {
  description: 'The proposal that has the description, in place of `spec_url` and `spec_raw`.',
});

/** Every member may be absent. */
function optionalOf<Members extends TProperties>(members: Members) {
  const entries = Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as { [Name in keyof Members]: TOptional<Members[Name]> };
}

/** Every member may be absent, or null. */
const removableOf = <Members extends TProperties>(members: Members) =>
  optionalOf(
    Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, orNull(schema)])) as {
      [Name in keyof Members]: TUnsafe<Static<Members[Name]> | null>;
    },
  );

const described = <Schema extends TSchema>(schema: Schema, description: string): Schema => ({
  ...schema,
  description,
});

/** Text, or the bytes of a part of a form. */
const raw = (description: string) =>
  Type.Optional(Type.Unsafe<string | Uint8Array>({ type: 'string', description }));
const RAW = raw('The description itself, in JSON or YAML.');

/** What tenants say of an API and nothing is compiled with: stored together, and removed by null. */
export const ABOUT = { category: CATEGORY, description: DESCRIPTION };

type Member<Name extends keyof typeof ABOUT> = Static<(typeof ABOUT)[Name]>;

export type About = { readonly [Name in keyof typeof ABOUT]?: Member<Name> };

/** A change of it; null removes a member. */
export type AboutChange = { readonly [Name in keyof typeof ABOUT]?: Member<Name> | null };

/** The members of a request that are stored as they are sent. */
export const aboutIn = (members: AboutChange): AboutChange =>
  Object.fromEntries(Object.entries(members).filter(([name]) => name in ABOUT));

const optional = {
  visibility: VISIBILITY,
  ...optionalOf(ABOUT),
  base_url: Type.Optional(
    url('Base address of the API, in place of the first server of the description.'),
  ),
};

const DRY_RUN = (description: string) =>
  Type.Optional(Type.Boolean({ default: false, description }));

const REVISION = Type.Optional(
  Type.Integer({
    minimum: 1,
    description: 'The `revision` that you saw: if the registration has another one, 409.',
  }),
);

/** The body of `POST /api/v1/register`. */
export const REGISTRATION = Type.Object(
  {
    name: described(NAME, 'Name of the API.'),
    spec_url: Type.Optional(url('Address of the description. Send this or `spec_raw`.')),
    spec_raw: RAW,
    auth: Type.Optional(AUTH),
    ...optional,
    confirm_origins: Type.Optional(
      described(ORIGINS, 'Origins to which the credential may be sent: all `origins` of the job.'),
    ),
    include: Type.Optional(described(FILTERS, 'Only operations that one of these fits.')),
    exclude: Type.Optional(described(FILTERS, 'No operation that one of these fits.')),
    proposal_id: Type.Optional(PROPOSAL_ID),
    extensions: Type.Optional(
      described(EXTENSIONS, 'What to add to the description, as a proposal does.'),
    ),
    dry_run: DRY_RUN('Only check the description.'),
  },
  { $id: 'RegistrationRequest', additionalProperties: false },
);

/** The body of `PATCH /api/v1/registrations/:id`. */
export const REGISTRATION_CHANGE = Type.Object(
  {
    revision: REVISION,
    name: Type.Optional(NAME),
    auth: Type.Optional(AUTH),
    visibility: VISIBILITY,
    include: Type.Optional(orNull(FILTERS)),
    exclude: Type.Optional(orNull(FILTERS)),
    extensions: Type.Optional(
      described(
        EXTENSIONS,
        'In place of all that were chosen before; an empty array removes them.',
      ),
    ),
    ...removableOf(ABOUT),
    descriptions: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string | null>>>({
        type: 'object',
        description:
          'Texts for tools, by name; they survive every refresh. Null returns to the text of the description.',
        additionalProperties: {
          ...orNull(text(MAX_TOOL_DESCRIPTION_LENGTH, () => undefined)),
        },
      }),
    ),
  },
  { $id: 'RegistrationChange', additionalProperties: false },
);

/** The body of `POST /api/v1/registrations/:id/refresh`. */
export const REGISTRATION_REFRESH = Type.Object(
  {
    revision: REVISION,
    spec_url: Type.Optional(
      url('Another address of the description. Without it, the last one is fetched again.'),
    ),
    spec_raw: RAW,
    dry_run: DRY_RUN('Only compare.'),
    confirm_origins: Type.Optional(
      described(ORIGINS, 'Origins to which the credential may be sent: all of `origins.after`.'),
    ),
  },
  { $id: 'RefreshRequest', additionalProperties: false },
);

/** The body of `POST /api/v1/register/proposals`. */
export const PROPOSAL_REQUEST = Type.Object(
  {
    source: Type.Optional(
      text(2_048, line, {
        description:
          'The number of a dataset of data.go.kr, the address of its page, or the address of a description.',
      }),
    ),
    spec_raw: raw('The description itself, or the page of the dataset in HTML.'),
  },
  { $id: 'ProposalRequest', additionalProperties: false },
);

/** The body of `POST /api/v1/register/proposals/:id/test`. */
export const PROPOSAL_TEST = Type.Object(
  {
    operation: described(OPERATION_NAME, '`GET /path`, as the proposal lists it.'),
    arguments: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        default: {},
        description: 'Beside the values that the proposal has.',
      }),
    ),
    auth: Type.Optional(AUTH),
    base_url: optional.base_url,
    extensions: Type.Optional(
      described(EXTENSIONS, 'In place of what is proposed with high or medium confidence.'),
    ),
  },
  { $id: 'ProposalTestRequest', additionalProperties: false },
);
