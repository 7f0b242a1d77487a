import type { Static, TObject, TProperties } from 'typebox';
import type { Identity, MemberRole, Person } from '../../access/people/person.ts';
import type { Tenant } from '../../access/tenants/tenant-store.ts';
import type { Operations } from '../../platform/input/operation.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { RouteRequest } from '../route.ts';

/** Who may use a route: every visitor, every signed-in person, a member of the tenant in the path, or an operator. */
export type AdminAccess = 'public' | 'person' | MemberRole | 'operator';

export interface PublicContext {
  readonly request: RouteRequest;
  /** The signed-in person, if there is one. */
  readonly identity: Identity | undefined;
  /** Adds values of `Set-Cookie` to the response. */
  readonly setCookies: (cookies: readonly string[]) => void;
}

export interface PersonContext extends PublicContext {
  readonly identity: Identity;
  readonly person: Person;
  /** The person, as operations know it. */
  readonly actor: Person;
}

export interface TenantContext extends PersonContext {
  /** The tenant in the path. */
  readonly tenant: Pick<Tenant, 'id' | 'slug' | 'name'>;
  readonly role: MemberRole;
}

/** One route below `/admin/api`. Its input and its output are the types of the dashboard's client. */
export interface AdminRoute<Context, Input extends TProperties, Output> {
  /** `key`: an operation that is also open to every API key of the tenant. */
  readonly access: AdminAccess | 'key';
  /**
   * Members of the query (GET and DELETE) or of the JSON body, and every parameter of the path but `:tenant`. Others are
   * refused. Values of the query are converted, and defaults filled in.
   */
  readonly input: Input;
  readonly handle: (context: Context, input: Static<TObject<Input>>) => Awaitable<Output>;
  /** The body may have a description, of this size, as a part of a form. */
  readonly maxDocumentBytes?: number;
  /** The handler checks the input. */
  readonly checksInput?: true;
  /** Charged to the client's address rather than to the person, whose rate a stolen session may use up. */
  readonly isProtective?: true;
  /** A page of another site may lead here, as an identity provider does. Only for GET. */
  readonly allowsCrossSite?: true;
}

type RouteOf<Context, Input extends TProperties, Output> = Omit<
  AdminRoute<Context, Input, Output>,
  'access'
>;

/** For every visitor. */
export const publicRoute = <Input extends TProperties, Output>(
  route: RouteOf<PublicContext, Input, Output>,
): AdminRoute<PublicContext, Input, Output> => ({ access: 'public', ...route });

/** For every signed-in person. */
export const personRoute = <Input extends TProperties, Output>(
  route: RouteOf<PersonContext, Input, Output>,
): AdminRoute<PersonContext, Input, Output> => ({ access: 'person', ...route });

/** For members of `:tenant` with this role at least; operators count as admins of every tenant. */
export const tenantRoute = <Input extends TProperties, Output>(
  access: MemberRole,
  route: RouteOf<TenantContext, Input, Output>,
): AdminRoute<TenantContext, Input, Output> => ({ access, ...route });

/** For operators. */
export const operatorRoute = <Input extends TProperties, Output>(
  route: RouteOf<PersonContext, Input, Output>,
): AdminRoute<PersonContext, Input, Output> => ({ access: 'operator', ...route });

/** Routes by method and path below `/admin/api`, for example `GET /tenants/:tenant/keys`. Operations are routes, too. */
export type AdminRoutes = Readonly<
  Record<
    keyof Operations,
    // biome-ignore lint/suspicious/noExplicitAny: routes of every context, input and output.
    AdminRoute<any, any, unknown> | Operations[keyof Operations]
  >
>;
