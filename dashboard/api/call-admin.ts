import type { Static, TObject, TSchema } from 'typebox';
import type { AdminTable } from '../../src/dialects/admin/admin-table.ts';
import { decodeRefusal, unreachable } from './admin-error.ts';

export interface CallOptions {
  /** Ends the request; queries pass theirs. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a route of the gateway's table, such as `callAdmin('GET /tenants/:tenant/keys', { tenant })`.
 * Throws an AdminError if the gateway refuses, fails or cannot be reached.
 */
export async function callAdmin<Key extends AdminRouteKey>(
  key: Key,
  input: AdminInput<Key>,
  options: CallOptions = {},
): Promise<AdminAnswer<Key>> {
  const response = await sendAdmin(key, input, options);
  const text = await response.text();
  return (text ? JSON.parse(text) : null) as AdminAnswer<Key>;
}

/** The same as a `queryFn`, whose request ends when nobody needs its result any more. */
export const ask =
  <Key extends AdminRouteKey>(key: Key, input: AdminInput<Key>) =>
  ({ signal }: CallOptions): Promise<AdminAnswer<Key>> =>
    callAdmin(key, input, { signal });

/** As callAdmin, for answers that are not JSON or too large for it. The status is a success. */
export async function sendAdmin<Key extends AdminRouteKey>(
  key: Key,
  input: AdminInput<Key>,
  { signal }: CallOptions = {},
): Promise<Response> {
  const { method, url, body } = formatRequest(key, input);
  const response = await send(url, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      // The browser names the boundary of a form.
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body,
    signal: signal ?? null,
  });
  if (response.ok) return response;
  const text = await response.text().catch(() => '');
  throw decodeRefusal(response, parse(text));
}

/** The address of a route: for a link that downloads a file, or for an EventSource. */
export const adminUrl = <Key extends AdminRouteKey & `GET ${string}`>(
  key: Key,
  input: AdminInput<Key>,
): string => formatRequest(key, input).url;

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const BASE = '/admin/api';

/** An HTTP request of a route: its method, its address and its body in JSON or as a form. */
interface AdminRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | FormData | null;
}

/** Puts the input of a route where it belongs: the path, the query or the body. Undefined members are left out. */
export function formatRequest(key: string, input: Readonly<Record<string, unknown>>): AdminRequest {
  const [method = 'GET', template = ''] = key.split(' ');
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const query = hasBody ? '' : formatQuery(rest);
  return {
    method,
    url: `${BASE}${path}${query && `?${query}`}`,
    body: hasBody ? formatBody(Object.fromEntries(rest)) : null,
  };
}

/** A description is a part of a form: it may be too large for JSON. */
function formatBody({ spec_raw: document, ...members }: Readonly<Record<string, unknown>>) {
  const json = JSON.stringify(members);
  if (document === undefined) return json;
  const form = new FormData();
  form.set('request', json);
  form.set('document', new Blob([String(document)]));
  return form;
}

function formatQuery(members: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of members) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return query.toString();
}

/** `<method> <path>`, as in the gateway's table of routes. */
type AdminRouteKey = Extract<keyof AdminTable, string>;

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
