import { FREE_OBJECT, TEXT } from '../json-rpc/component.ts';

/** The members of a tool in the registry (docs/contract.md#registry); the tool record has them too. */
export const LISTED_TOOL = {
  name: TEXT,
  description: TEXT,
  inputSchema: { ...FREE_OBJECT, description: 'JSON Schema 2020-12 of the arguments.' },
  method: { ...TEXT, description: 'Of the upstream request.' },
  path: { ...TEXT, description: 'Of the upstream request, relative to `baseUrl`.' },
};
