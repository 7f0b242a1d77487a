import { type TProperties, Type } from 'typebox';
import {
  REGISTRATION,
  REGISTRATION_CHANGE,
  REGISTRATION_REFRESH,
} from '../../../registrations/request/registration-input.ts';

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
