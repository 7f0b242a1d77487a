import { type TProperties, type TSchema, Type } from 'typebox';
import { createInputCheck } from '../../platform/input/input-check.ts';
import type { Operations } from '../../platform/input/operation.ts';
import { isRequired } from '../../platform/input/schema.ts';
import { GatewayError, invalidArguments } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { JsonSchema } from '../../tools/model.ts';
import {
  createArgumentReader,
  type ReadArguments,
  rulesOf,
} from '../../tools/request/read-arguments.ts';
import { resolveNothing } from '../../tools/request/resolve-code.ts';
import { ownEntry } from '../gateway-tools/gateway-tools.ts';
import type { ManageTools } from '../gateway-tools/own-response.ts';
import type { ManageDeps } from './manage-routes.ts';

type AnyOperation = Operations[keyof Operations];

interface ManageTool {
  readonly entry: CatalogEntry;
  readonly operation: AnyOperation;
  readonly hasTenant: boolean;
  readonly read: ReadArguments;
}

/** The tools of `/mcp?mode=manage`: every operation without a secret in its input or output. */
export function createManageTools({ operations, authorise }: ManageDeps): ManageTools {
  const tools = new Map(
    Object.entries(operations)
      .filter(([, { returnsSecret, takesSecret }]) => !returnsSecret && !takesSecret)
      .map(([place, operation]) => toTool(place, operation))
      .map((tool) => [tool.entry.tool.name, tool] as const),
  );
  const all = [...tools.values()].sort((a, b) => (a.entry.id < b.entry.id ? -1 : 1));
  const entries = all.map(({ entry }) => entry);
  const ofAdmins = all
    .filter(({ operation }) => operation.access !== 'operator')
    .map(({ entry }) => entry);
  return {
    list: ({ authority }) => (authority?.scope === 'operator' ? entries : ofAdmins),
    call: async ({ name, arguments: args }, caller) => {
      const tool = tools.get(name);
      if (!tool) throw new GatewayError('tool_not_found', `Unknown tool ${JSON.stringify(name)}.`);
      const { checked: input, issues } = await tool.read(args, resolveNothing);
      if (issues.length > 0) throw invalidArguments(name, issues);
      const { tenant = caller.tenantSlug, ...members } = input;
      const slug = tool.hasTenant ? String(tenant) : undefined;
      const context = await authorise(caller, tool.operation.access, slug);
      const output: unknown = await tool.operation.handle(context, members);
      return { tool: name, text: JSON.stringify(output ?? {}) };
    },
  };
}

const TENANT = Type.Optional(
  Type.String({
    maxLength: 100,
    description: 'Slug of the tenant; by default, the tenant of the key.',
  }),
);

function toTool(place: string, operation: AnyOperation): ManageTool {
  const [method = '', path = ''] = place.split(' ');
  const hasTenant = path.includes('/:tenant');
  const members: TProperties = { ...(hasTenant ? { tenant: TENANT } : {}), ...operation.input };
  const required = Object.entries<TSchema>(members).filter(([, schema]) => isRequired(schema));
  const entry = ownEntry({
    name: operation.name.replaceAll(/[ -]/g, '_'),
    title: operation.summary.replace(/\.$/, ''),
    description: operation.summary,
    properties: members as unknown as Readonly<Record<string, JsonSchema>>,
    required: required.map(([name]) => name),
    readOnly: method === 'GET',
  });
  const check = createInputCheck(Type.Object(members, { additionalProperties: false }));
  return {
    operation,
    hasTenant,
    entry,
    read: createArgumentReader(rulesOf(entry.tool), check),
  };
}
