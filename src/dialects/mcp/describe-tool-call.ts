import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { JsonSchema, Tool } from '../../tools/model.ts';
import { exampleArguments } from '../../tools/request/example-arguments.ts';
import { component } from '../json-rpc/component.ts';
import type { RouteDescription } from '../route.ts';
import { CLIENT_ID, ERROR_SCHEMA, JSON_RPC, MCP_DESCRIPTION, MESSAGE_ID } from './describe-mcp.ts';
import { RESULT_SCHEMA } from './describe-result.ts';

const RESPONSES = {
  200: {
    description: 'The result of the call, or an error.',
    schema: component(
      'ToolCallResponse',
      { jsonrpc: JSON_RPC, id: MESSAGE_ID, result: RESULT_SCHEMA, error: ERROR_SCHEMA },
      ['result', 'error'],
    ),
  },
};

/** The call of one tool as an operation of its own in `/openapi.json` (docs/contract.md#api-description). */
export function describeToolCall({ tool, category }: CatalogEntry): RouteDescription {
  const { name, title, description } = tool;
  const params = { name, arguments: exampleArguments(tool) };
  return {
    method: 'POST',
    // The fragment distinguishes the operations of one address; clients do not send it.
    path: `${MCP_DESCRIPTION.path}#${name}`,
    operation: `call_${name}`,
    access: 'key',
    tag: category,
    summary: title ?? name,
    description,
    body: {
      schema: requestOf(tool),
      examples: {
        call: {
          summary: 'A call',
          value: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        },
      },
    },
    responses: RESPONSES,
  };
}

const requestOf = ({ name, inputSchema }: Tool): JsonSchema => ({
  type: 'object',
  required: ['jsonrpc', 'id', 'method', 'params'],
  properties: {
    jsonrpc: JSON_RPC,
    id: { type: ['string', 'number'] },
    method: { const: 'tools/call' },
    params: {
      type: 'object',
      required: [
        'name',
        ...([inputSchema['required'] ?? []].flat().length > 0 ? ['arguments'] : []),
      ],
      properties: {
        name: { const: name },
        arguments: { ...inputSchema, $id: `${name}_arguments` },
        _clientId: CLIENT_ID,
      },
    },
  },
});
