import { type Static, type TSchema, Type } from 'typebox';
import { GatewayError } from '../kernel/error.ts';
import type { TextCheck } from './input-check.ts';

/** A schema whose value may also be null. */
export const orNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, type: [Reflect.get(schema, 'type'), 'null'] });

/** A read-only array of at most `maxItems`. */
export const list = <Item extends TSchema>(items: Item, maxItems?: number) =>
  Type.Unsafe<readonly Static<Item>[]>({
    type: 'array',
    items,
    ...(maxItems === undefined ? {} : { maxItems }),
  });

/** An object with the members of `Value`, which its description lists for readers. */
export const recordOf = <Value>(description: string) =>
  Type.Unsafe<Value>({ type: 'object', description });

export const originIssue: TextCheck = (text) =>
  URL.canParse(text) && new URL(text).origin === text
    ? undefined
    : 'must be an origin, such as https://api.example.com.';

export const MAX_ORIGINS = 100;
/** Origins to which something may be sent. */
export const ORIGINS = list(Type.String({ check: originIssue }), MAX_ORIGINS);

export const TEXT = Type.String();
export const BOOLEAN = Type.Boolean();
export const INTEGER = Type.Integer();
export const TIME = Type.String({ format: 'date-time' });
export const NEXT_CURSOR = orNull(
  Type.String({ description: '`cursor` of the next page, or null.' }),
);

/** The output of an operation that returns nothing. */
export const NOTHING = Type.Unsafe<void>({});

/** The input of a list in pages. */
export const PAGE = {
  cursor: Type.Optional(
    Type.String({ maxLength: 300, description: '`nextCursor` of the previous page.' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Entries on a page.' }),
};

/** Neither optional nor with a default. */
export const isRequired = (schema: TSchema): boolean =>
  !('~optional' in schema) && Reflect.get(schema, 'default') === undefined;

/** A time in an input, which `timeOf` reads. */
export const optionalTime = (description: string) =>
  Type.Optional(Type.String({ maxLength: 40, description }));

/** Second 60 with its fraction, before the offset. */
const LEAP_SECOND = /:60(?:\.\d+)?(?=[Zz+-])/;
/** An offset in hours only, which RFC 3339 has and `Date.parse` does not. */
const HOUR_OFFSET = /(?<=T.*)[+-]\d\d$/;

/**
 * The time of the member `name` in milliseconds since the epoch. A leap second counts as the start of the next second. Throws
 * `invalid_request` for a text that is not a time.
 */
export function timeOf(name: string, text: string): number {
  const withoutLeap = text.replace(LEAP_SECOND, ':59').replace(HOUR_OFFSET, '$&:00');
  const ms = Date.parse(withoutLeap);
  if (!Number.isNaN(ms)) return LEAP_SECOND.test(text) ? ms + 1000 : ms;
  throw new GatewayError(
    'invalid_request',
    `"${name}" is not a date-time. Use a form such as 2026-11-21T09:00:00Z.`,
  );
}
