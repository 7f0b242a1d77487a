import { component, FREE_OBJECT, INTEGER, TEXTS } from '../../json-rpc/component.ts';

const FREE_OBJECTS = { type: 'array', items: FREE_OBJECT };

/** The report of a job or a refresh in `/openapi.json` (docs/contract.md#registration). */
export const REPORT_SCHEMA = {
  ...component('RegistrationReport', {
    score: INTEGER,
    scoreParts: FREE_OBJECT,
    tools: INTEGER,
    tokens: INTEGER,
    tags: TEXTS,
    operations: FREE_OBJECTS,
    warnings: FREE_OBJECTS,
  }),
  description: 'What became of each operation.',
};
