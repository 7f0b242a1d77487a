import { queryOptions } from '@tanstack/react-query';
import { type AdminAnswer, ask } from '../api/call-admin.ts';

/** The tools and categories that a key, or a program that a person connects, may be given. */
export type ToolChoices = AdminAnswer<'GET /tenants/:tenant/key-tools'>;

export const toolChoicesQuery = (tenant: string) =>
  queryOptions({
    queryKey: ['key-tools', tenant],
    queryFn: ask('GET /tenants/:tenant/key-tools', { tenant }),
    staleTime: 60_000,
  });

/** A pattern may be the name of two tools; only one of them may be offered. */
export const groupsOf = (tools: ToolChoices['tools'], nameOf: (category: string) => string) =>
  [...Map.groupBy(tools, ({ category }) => category)].map(([group, members]) => ({
    group: nameOf(group),
    items: members.map(({ pattern, name }) => ({ value: pattern, label: name })),
  }));
