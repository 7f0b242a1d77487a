import type { Static, TObject, TSchema } from 'typebox';
import type { AdminTable } from '../../src/dialects/admin/admin-table.ts';

/** `<method> <path>`, as in the gateway's table of routes. */
export type AdminRouteKey = Extract<keyof AdminTable, string>;

/** The names of `:parameters` in a path. */
type PathNames<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type DeclaredInput<Route> = Route extends { readonly input: infer Members }
  ? Members extends Record<string, TSchema>
    ? Static<TObject<Members>>
    : unknown
  : unknown;

/** The members of the query of a GET may have defaults, so none of them is required here. */
type Loose<Key, Members> = Key extends `${'GET' | 'DELETE'} ${string}` ? Partial<Members> : Members;

/** Also undefined: a filter that is not set. */
type OrUndefined<Members> = {
  [Name in keyof Members]: Members[Name] | MissingIfOptional<Members, Name>;
};
type MissingIfOptional<Members, Name extends keyof Members> =
  Record<never, never> extends Pick<Members, Name> ? undefined : never;

/** What a route needs: the parameters of its path and the members of its query or body. */
export type AdminInput<Key extends AdminRouteKey> = OrUndefined<
  Loose<Key, Omit<DeclaredInput<AdminTable[Key]>, PathNames<Key>>>
> & { readonly [Name in PathNames<Key>]: string };

/** What a route answers with. */
export type AdminAnswer<Key extends AdminRouteKey> = AdminTable[Key] extends {
  // biome-ignore lint/suspicious/noExplicitAny: only the result matters here.
  handle: (...args: any[]) => infer Result;
}
  ? Awaited<Result>
  : never;
