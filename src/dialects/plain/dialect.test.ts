import { expect, it } from 'vitest';
import { MCP_DESCRIPTION } from '../mcp/describe-mcp.ts';
import { createPlainMethods } from './dialect.ts';

it('the API description lists exactly the methods of plain JSON-RPC', () => {
  const unused = () => {
    throw new Error('No method is called.');
  };
  const methods = createPlainMethods({ listTools: unused, callTool: unused });
  expect(MCP_DESCRIPTION.body).toHaveProperty('schema.properties.method.enum', [...methods.keys()]);
});
