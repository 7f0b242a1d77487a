import { FAULT_WORDS } from './fault.ts';

/** What `GET /` says to a person who finds the sandbox. */
export const explainSandbox = (presetIds: readonly string[]): string => `Sandbox of Tool Gateway

Every upstream is imitated below /<preset id>/<path of the operation>, with sample answers:

${presetIds.map((id) => `  /${id}/`).join('\n')}

Any key is accepted, except: wrong, unregistered, expired, blocked-ip, quota, or none at all.

  POST   /_sandbox/faults    {"presetId" or "tool": "...", "fault": "...", "times": 1}
                             makes the next answers go wrong
  DELETE /_sandbox/faults    forgets the faults that are left
  GET    /_sandbox/requests  how many requests came, and the last 100 of them, without keys

Faults: ${FAULT_WORDS}.
The header x-sandbox-fault asks for one in a single request.
`;
