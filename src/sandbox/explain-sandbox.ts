import { FAULT_SYNTAX } from './fault.ts';

/** The response to `GET /`: a description of the sandbox for people. */
export const explainSandbox = (presetIds: readonly string[]): string => `Sandbox of Tool Gateway

Every upstream is simulated below /<preset id>/<path of the operation>, with made-up data that
fits the question:

${presetIds.map((id) => `  /${id}/`).join('\n')}

Every key is accepted except: wrong, unregistered, expired, blocked-ip, quota, or a missing key.

  POST   /_sandbox/faults    {"presetId" or "tool": "...", "fault": "...", "times": 1}
                             injects a fault into the next responses
  DELETE /_sandbox/faults    removes the remaining faults
  GET    /_sandbox/requests  the number of requests, and the last 100 of them, without keys

An API that is no preset, with which to practise registration (bearer token: practice-token):

  /practice/openapi.yaml     its description

Faults: ${FAULT_SYNTAX}.
The header x-sandbox-fault injects a fault into the response to a single request.
`;
