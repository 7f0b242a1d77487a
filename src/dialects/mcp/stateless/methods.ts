import type { Awaitable } from '../../../platform/kernel/awaitable.ts';
import { encodeResponse } from '../../json-rpc/encode.ts';
import type { Method, Methods } from '../../json-rpc/methods.ts';
import type { Encoded } from '../../json-rpc/splice.ts';
import type { RouteStream } from '../../route.ts';
import { type CodeMethodDeps, createCodeMethods } from '../shared/code-methods.ts';
import { createToolMethods, type ToolMethodDeps } from '../shared/tool-methods.ts';
import { DISCOVERY, STATELESS_CODES, STATELESS_ENCODING } from './encode.ts';
import { type ListenDeps, listen } from './listen.ts';

/** A response, or the stream of a subscription. */
export type StatelessResponse = Awaitable<Encoded> | RouteStream;

export interface StatelessDeps extends ToolMethodDeps, CodeMethodDeps, ListenDeps {}

const discover: Method = ({ id }) => encodeResponse(id, DISCOVERY);

/** The methods of 2026-07-28. */
export const createStatelessMethods = (deps: StatelessDeps): Methods<StatelessResponse> =>
  new Map<string, Method<StatelessResponse>>([
    ['server/discover', discover],
    ...createToolMethods(deps, STATELESS_ENCODING),
    ...createCodeMethods(deps, STATELESS_CODES),
    ['subscriptions/listen', (message, context) => listen(message, context, deps)],
  ]);
