import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { readMembers } from '../../src/dialects/json-rpc/read-members.ts';
import type { RouteRequest } from '../../src/dialects/route.ts';
import { decodeRegistration } from '../../src/registrations/request/decode-registration.ts';
import type { RegistrationRequest } from '../../src/registrations/request/registration-request.ts';
import { DECODE_LIMITS } from './registrations.ts';

export const JOB_ID = 'job_01KA3Z2V8QK6D4T0N9XJ5W7M1C';

/** A status, with the members that a test does not give. */
export const jobStatus = (status: string, more: object = {}): object => ({
  job_id: JOB_ID,
  jobId: JOB_ID,
  status,
  name: 'Pets',
  progress: status === 'queued' ? 0 : 1,
  createdAt: '2026-11-21T00:00:00.000Z',
  updatedAt: '2026-11-21T00:00:00.000Z',
  error: null,
  origins: [],
  report: null,
  toolIds: [],
  ...more,
});

export interface ReceivedRegistration {
  readonly headers: IncomingMessage['headers'];
  readonly request: RegistrationRequest;
}

/** Handles one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Plays a gateway for commands: decodes requests as the gateway does, registers nothing, and responds as a test plans. */
export interface PlannedGateway {
  readonly url: string;
  readonly received: ReceivedRegistration[];
  /** The statuses to report, one after another; the last one is repeated. */
  readonly statuses: object[];
  /** What happens instead of the next responses, whatever is requested. */
  readonly instead: Handler[];
  close(): Promise<void>;
}

/** Plays `POST /api/v1/register` and the status of a job (docs/contract.md#registration). */
export async function startPlannedGateway(): Promise<PlannedGateway> {
  const statuses: object[] = [];
  const received: ReceivedRegistration[] = [];
  const instead: Handler[] = [];

  const submit = async (request: IncomingMessage): Promise<object> => {
    const { headers } = request;
    const memory = () => ({ take: () => true });
    const sent = { headers, body: await buffer(request), memory } as unknown as RouteRequest;
    received.push({ headers, request: decodeRegistration(readMembers(sent), DECODE_LIMITS) });
    const path = `/api/v1/register/${JOB_ID}/status`;
    return { job_id: JOB_ID, status: 'queued', status_url: path };
  };
  const handle: Handler = async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const isStatus = pathname === `/api/v1/register/${JOB_ID}/status`;
    try {
      if (request.method === 'POST' && pathname === '/api/v1/register') {
        respond(response, 202, await submit(request));
      } else if (isStatus) {
        respond(response, 200, (statuses.length > 1 ? statuses.shift() : statuses[0]) ?? {});
      } else respond(response, 404, { message: 'There is nothing at this address.' });
    } catch (error) {
      respond(response, 400, { message: String(error) });
    }
  };
  const server = createServer((request, response) => {
    const handler = instead.shift() ?? handle;
    handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    instead,
    statuses,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Responds with JSON. */
export function respond(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
