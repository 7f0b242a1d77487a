import { initializeAs, statelessMeta, toolCall } from '../../support/rpc-requests.ts';
import type { Before, Entry, Fields, HttpRequest, Post } from '../corpus-request.ts';

export const initialize = initializeAs('corpus');

/** What every request of 2026-07-28 has in `params._meta`. */
export const STATELESS_META = statelessMeta('corpus');

/** A call whose response comes from the cache from the second time on. */
export const CALL = toolCall('fixture_cached', { n: 1 });

export const KEY = { 'x-api-key': '{{key}}' };

/** `POST /mcp` with a key; strings and bytes are sent unchanged, everything else as JSON. */
export function toPost(body: unknown, fields: Fields = {}, path = '/mcp'): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...KEY, ...fields },
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  };
}

/** One row of a table of posts. */
export type PostRow = readonly [
  title: string,
  body: unknown,
  fields?: Fields,
  path?: string | undefined,
];

export const posts = (rows: readonly PostRow[]): Entry[] =>
  rows.map(([title, body, fields, path]) => ({
    kind: 'request',
    title,
    ...toPost(body, fields, path),
  }));

/** One row of a table of requests without a body. */
export type AskRow = readonly [title: string, methodAndPath: string, fields?: Fields];

/** `GET /path` and the like, with only the headers given. */
export const asks = (rows: readonly AskRow[]): Entry[] =>
  rows.map(([title, methodAndPath, headers = {}]) => {
    const [method = '', path = ''] = methodAndPath.split(' ');
    return { kind: 'request', title, method, path, headers };
  });

/** The same with a key. */
export const keyedAsks = (rows: readonly AskRow[]): Entry[] =>
  asks(rows.map(([title, methodAndPath, fields]) => [title, methodAndPath, { ...KEY, ...fields }]));

/** Prefixes the titles of entries, so that they are unique. */
export const under = (word: string, entries: readonly Entry[]): Entry[] =>
  entries.map((entry) => ({ ...entry, title: `${word}: ${entry.title}` }));

export const after = (before: Before, [entry]: readonly Entry[]): Entry[] =>
  entry ? [{ ...entry, before }] : [];

/** A post to the open stream, with the number of events it causes. */
export const onStream = (body: unknown, events: number, fields: Fields = {}): Post => ({
  ...toPost(body, fields, '/mcp?sessionId={{session}}'),
  events,
});
