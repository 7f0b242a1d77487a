import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import {
  type Gateway,
  type GatewayRequest,
  type GatewayResponse,
  GatewayUnreachable,
  refusalText,
  requestGateway,
} from '../shared/gateway-request.ts';
import { decodeJobStatus, showCommand } from './job-status.ts';

/** Pauses before the request is sent again, after its connection failed. */
export const RETRY_PAUSES_MS = [250, 1_000];

/** Submits a registration, once even if the connection breaks; resolves with the id of its job. Throws StartupError. */
export async function submitRegistration(
  gateway: Gateway,
  request: GatewayRequest,
): Promise<string> {
  const headers = { ...request.headers, 'idempotency-key': randomUUID() };
  const response = await sendRepeatedly(gateway, { ...request, headers });
  if (response.status < 400) return decodeJobStatus(response.body).id;
  throw new StartupError(refusalText(gateway, response) + existing(gateway, response));
}

/** Sends a request again after each pause until it has a response. */
async function sendRepeatedly(
  gateway: Gateway,
  request: GatewayRequest,
  [pauseMs, ...later] = RETRY_PAUSES_MS,
): Promise<GatewayResponse> {
  try {
    return await requestGateway(gateway, request);
  } catch (error) {
    if (!(error instanceof GatewayUnreachable)) throw error;
    if (pauseMs === undefined) throw isLarge(request) ? maybeTooLarge(error) : error;
    await pause(pauseMs);
    return sendRepeatedly(gateway, request, later);
  }
}

/** A gateway that refuses a large body closes the connection, so that its 413 can get lost. */
const isLarge = ({ body = '' }: GatewayRequest): boolean => body.length > 1024 * 1024;

const maybeTooLarge = ({ message }: GatewayUnreachable): StartupError =>
  new StartupError(`${message} The description may be too large.`);

const RESOURCE = /\/api\/v1\/(?:registrations\/reg_\w{1,64}|register\/job_\w{1,64}\/status)$/;

/** How to see what a registration is in conflict with. */
function existing(gateway: Gateway, { status, headers }: GatewayResponse): string {
  const [path] = (status === 409 && RESOURCE.exec(String(headers.location))) || [];
  return path ? `\nShow it with: ${showCommand(gateway, path)}` : '';
}
