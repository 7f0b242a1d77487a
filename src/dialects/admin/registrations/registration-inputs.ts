import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import type { OperationFilter } from '../../../tools/compile/compile-policy.ts';
import { readMembers } from '../../json-rpc/read-members.ts';
import type { RouteRequest } from '../../route.ts';

/** What the gateway shows an API, as people enter it. The decoder of registrations checks it. */
export interface AuthenticationInput {
  readonly type: 'none' | 'bearer' | 'basic' | 'api_key' | 'oauth2_client_credentials';
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  readonly in?: 'header' | 'query' | 'cookie';
  readonly key_name?: string;
  readonly token_url?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly scope?: string;
}

/** Members that the decoders of registrations check, with every issue at once: here they only have types. */
const checkedLater = <Value>() => Type.Optional(Type.Unsafe<Value>({}));

const FILTERS = checkedLater<readonly OperationFilter[] | null>();

/** A description, or where it is. As bytes if the body was read on the thread. */
const SOURCE = {
  spec_url: checkedLater<string>(),
  spec_raw: checkedLater<string | Uint8Array>(),
};

const DRY_RUN = { dry_run: checkedLater<boolean>() };

const CONFIRMED = { confirm_origins: checkedLater<readonly string[]>() };

export const AUTH = { auth: checkedLater<AuthenticationInput>() };

const CHANGEABLE = {
  ...AUTH,
  visibility: checkedLater<'private' | 'public'>(),
  category: checkedLater<string | null>(),
  description: checkedLater<string | null>(),
  include: FILTERS,
  exclude: FILTERS,
};

export const REGISTER_INPUT = {
  ...SOURCE,
  ...CHANGEABLE,
  ...DRY_RUN,
  name: checkedLater<string>(),
  base_url: checkedLater<string>(),
  ...CONFIRMED,
};

/** In the path. */
export const ID = { id: Type.String({ maxLength: 100 }) };

/** The revision that the person sees: another one is not changed. */
export const REVISION = { revision: Type.Integer({ minimum: 1 }) };

export const PATCH_INPUT = {
  ...ID,
  ...REVISION,
  ...CHANGEABLE,
  name: checkedLater<string>(),
  descriptions: checkedLater<Readonly<Record<string, string | null>>>(),
};

export const REFRESH_INPUT = {
  ...ID,
  ...REVISION,
  ...SOURCE,
  ...DRY_RUN,
  ...CONFIRMED,
};

type InputOf<Input extends TProperties> = Static<TObject<Input>>;

/** Reads a body with a description, on the thread if it is large. */
export const bodyReader =
  (split: DescriptionCompiler['split']) =>
  async (request: RouteRequest): Promise<unknown> => {
    const { members, document } = await readMembers(request, split);
    return document === null ? members : { ...Object(members), spec_raw: document };
  };

/** The members for a decoder, and the description if the thread has read it. */
export function withDocument<Body extends Partial<InputOf<typeof SOURCE>>>({
  spec_raw: raw,
  ...members
}: Body) {
  return raw instanceof Uint8Array
    ? { members, document: raw }
    : { members: raw === undefined ? members : { ...members, spec_raw: raw }, document: null };
}
