import { type TProperties, Type } from 'typebox';
import {
  REGISTRATION,
  REGISTRATION_CHANGE,
  REGISTRATION_REFRESH,
} from '../../../registrations/request/registration-input.ts';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import { readMembers } from '../../json-rpc/read-members.ts';
import type { RouteRequest } from '../../route.ts';

/** Members that the decoders of registrations check, with every issue at once: here they only have types. */
export const checkedLater = <Members extends TProperties>(members: Members): Members =>
  Object.fromEntries(
    Object.keys(members).map((name) => [name, Type.Optional(Type.Unsafe({}))]),
  ) as unknown as Members;

export const REGISTER_INPUT = checkedLater(REGISTRATION.properties);

/** In the path. */
export const ID = { id: Type.String({ maxLength: 100 }) };

/** The revision that the person sees: another one is not changed. */
const REVISION = { revision: Type.Integer({ minimum: 1 }) };

export const PATCH_INPUT = {
  ...ID,
  ...REVISION,
  ...checkedLater(REGISTRATION_CHANGE.properties),
};

export const REFRESH_INPUT = {
  ...ID,
  ...REVISION,
  ...checkedLater(REGISTRATION_REFRESH.properties),
};

/** Reads a body with a description, on the thread if it is large. */
export const bodyReader =
  (split: DescriptionCompiler['split']) =>
  async (request: RouteRequest): Promise<unknown> => {
    const { members, document } = await readMembers(request, split);
    return document === null ? members : { ...Object(members), spec_raw: document };
  };

/** The members for a decoder, and the description if the thread has read it. */
export function withDocument({ spec_raw: raw, ...members }: { readonly spec_raw?: unknown }) {
  return raw instanceof Uint8Array
    ? { members, document: raw }
    : { members: raw === undefined ? members : { ...members, spec_raw: raw }, document: null };
}
