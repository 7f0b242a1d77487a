import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import type { TestGateway } from './gateway.ts';

/** Calls tools of a gateway as a model in search mode does, and reads their texts. */
export async function openModelClient(gateway: TestGateway) {
  const client = new Client({ name: 'model', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp?mode=search`), {
      requestInit: { headers: { 'x-api-key': gateway.key } },
    }),
  );
  return {
    /** The one text of a result that is no error. */
    async textOf(name: string, args: Record<string, unknown>): Promise<string> {
      const { content, isError } = await client.callTool({ name, arguments: args });
      const [block] = content;
      const text = block?.type === 'text' ? block.text : '';
      expect(isError, text).toBeFalsy();
      expect(content).toHaveLength(1);
      return text;
    },
    close: () => client.close(),
  };
}
