import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { Awaitable } from '../kernel/awaitable.ts';
import type { Caller } from '../kernel/caller.ts';

/**
 * Who may run an operation: members of the tenant in its path with this role at least, or operators of the gateway only. `key`:
 * every API key of the tenant, at the operation's own address alone; viewers may read there, and admins change.
 */
export type OperationAccess = 'viewer' | 'admin' | 'operator' | 'key';

/** Who runs an operation: a person, or the owner of an API key with a scope. */
export interface Actor {
  /** For the trail: of a person, or of a key that the command line created. */
  readonly id: string;
  /** Who owns what the actor creates; by default, the actor. */
  readonly owner?: string;
  /** The API key with which a program acts. */
  readonly key?: string;
  readonly isOperator: boolean;
}

export interface OperationContext {
  readonly actor: Actor;
  /** Of the dashboard's page, for links to it; programs send none. */
  readonly origin?: string;
}

/** The context of an operation whose path names a tenant. */
export interface TenantOperationContext extends OperationContext {
  readonly tenant: { readonly id: string; readonly slug: string; readonly name: string };
}

/** The address at which every API key of a tenant may run an operation, whether or not it has a scope. */
export interface TenantAddress {
  readonly path: `/api/v1/${string}`;
  /** The `operationId` in `/openapi.json`. */
  readonly operation: string;
  readonly tag: string;
  readonly description?: string;
  /** The schema of the body, if `/openapi.json` has it as a component. */
  readonly body?: TSchema;
  /** What statuses mean that not every address has. */
  readonly statuses?: Readonly<Record<number, string>>;
  /** Keys with a list of allowed tools may use it, too, or get 404; by default, they get 403. */
  readonly narrowKeys?: 'allowed' | 'not_found';
}

/**
 * One thing that people and programs do with the gateway, declared once (docs/operations-table.md): the dashboard's API, the
 * REST API below `/api/v1/admin`, its part of `/openapi.json` and the tools of `/mcp?mode=manage` follow from it.
 */
export interface Operation<Context, Input extends TProperties, Output extends TSchema> {
  readonly access: OperationAccess;
  readonly address?: TenantAddress;
  /** What and what for: `keys create`. Unique. */
  readonly name: `${string} ${string}`;
  /** One sentence. */
  readonly summary: string;
  /** The action that the trail has of it, or the actions of which it has one. Every operation that changes something has it. */
  readonly trail?: string | readonly string[];
  /** Members of the query (GET and DELETE) or of the JSON body, and every parameter of the path but `:tenant`. */
  readonly input: Input;
  readonly output: Output;
  /** An input that a reader can imitate, without the parameters of the path. */
  readonly example?: Partial<Static<TObject<Input>>>;
  /** The output has a secret, so that no model gets it. */
  readonly returnsSecret?: true;
  /** The input has a secret, which a model must not hold: the operation is no tool. */
  readonly takesSecret?: true;
  /** The handler checks the input, with rules about several members, so that every issue is in one response. */
  readonly checksInput?: true;
  /** The body may have a description, of this size, as a part of a form. */
  readonly maxDocumentBytes?: number;
  /** Whether the output is of something new: its status is 201. */
  readonly isCreated?: (output: Static<Output>) => boolean;
  readonly handle: (context: Context, input: Static<TObject<Input>>) => Awaitable<Static<Output>>;
}

/** Operations by method and path, for example `GET /tenants/:tenant/keys`. */
export type Operations = Readonly<
  // biome-ignore lint/suspicious/noExplicitAny: operations of every context, input and output.
  Record<`${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`, Operation<any, any, any>>
>;

type Declared<Context, Input extends TProperties, Output extends TSchema> = Omit<
  Operation<Context, Input, Output>,
  'access'
>;

/** For members of `:tenant` with this role at least, or its keys. Operators count as admins of every tenant. */
export const tenantOperation = <
  Input extends TProperties,
  Output extends TSchema,
  Context extends TenantOperationContext = TenantOperationContext,
>(
  access: OperationAccess,
  operation: Declared<Context, Input, Output>,
): Operation<Context, Input, Output> => ({ access, ...operation });

/** For operators, without a tenant in the path. */
export const operatorOperation = <Input extends TProperties, Output extends TSchema>(
  operation: Declared<OperationContext, Input, Output>,
): Operation<OperationContext, Input, Output> => ({ access: 'operator', ...operation });

/** As whom the actor sees and runs the tools of the tenant: all of them, recorded under its id. */
export const actorCaller = ({
  tenant,
  actor,
}: Pick<TenantOperationContext, 'tenant' | 'actor'>): Caller => ({
  tenantId: tenant.id,
  tenantSlug: tenant.slug,
  apiKeyId: actor.id,
  allowedTools: null,
});
