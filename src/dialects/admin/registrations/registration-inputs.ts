import { Type } from 'typebox';
import { REGISTRATION } from '../../../registrations/request/registration-input.ts';
import type { DescriptionCompiler } from '../../../registrations/steps/description-compiler.ts';
import { readMembers } from '../../json-rpc/read-members.ts';
import type { RouteRequest } from '../../route.ts';

/** The decoder of registrations checks them, with every issue at once: here they only have types. */
export const REGISTER_INPUT = Object.fromEntries(
  Object.keys(REGISTRATION.properties).map((name) => [name, Type.Optional(Type.Unsafe({}))]),
) as unknown as typeof REGISTRATION.properties;

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
