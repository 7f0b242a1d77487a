import { VERSION } from '../../../platform/kernel/version.ts';

/** What the gateway calls itself towards MCP clients. */
export const SERVER_INFO = { name: 'tool-gateway', title: 'Tool Gateway', version: VERSION };

/** What a model should know before it uses the tools. */
export const INSTRUCTIONS =
  'Tools over public data APIs. Each result says first, in one line, what happened and from where the data is; a failure says what to change or whether to try again. Where a tool has _limit and _fields, ask for no more rows and columns than you need.';
