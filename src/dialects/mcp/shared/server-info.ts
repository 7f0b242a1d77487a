import { VERSION } from '../../../platform/kernel/version.ts';

/** How the gateway identifies itself to MCP clients. */
export const SERVER_INFO = { name: 'tool-gateway', title: 'Tool Gateway', version: VERSION };

/** What a model should know before it uses the tools. */
export const INSTRUCTIONS =
  'Tools for public data APIs. Each result starts with one line that states what happened and where the data comes from; a failure states what to change or whether to retry. If a tool has _limit and _fields, request only the rows and columns that you need.';
