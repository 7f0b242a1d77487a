import type { IncomingMessage } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyError,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify';
import { type ErrorCode, GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { discardBody } from '../bodies/unread-body.ts';
import { WholeRequest } from '../bodies/whole-request.ts';
import { announceClose, refusalBody } from './format-refusal.ts';

/** The framework's own errors as codes of the gateway. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'unreadable_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'unreadable_request',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_VALIDATION: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

export type SendError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void;

/** Creates the one place where an error becomes an HTTP response: two fields, and never text of a foreign error. */
export const createSendError =
  (logger: Pick<FastifyBaseLogger, 'error'>): SendError =>
  (error, request, reply) => {
    const refusal = fromFramework(error, request);
    if (refusal.code === 'internal') {
      logger.error({ err: refusal.cause, requestId: request.id }, 'request failed');
    }
    if (refusal.code !== 'too_large' || hasNoUnreadBody(request.raw)) {
      sendRefusal(refusal, request, reply);
    } else discardBody(request.raw, () => sendRefusal(refusal, request, reply));
  };

/** The body was read before it was refused, or the client still waits for 100 (Continue) and has not sent it. */
const hasNoUnreadBody = (raw: IncomingMessage): boolean =>
  raw.complete || (raw instanceof WholeRequest && raw.awaitsContinue);

function fromFramework(error: FastifyError, request: FastifyRequest): GatewayError {
  const code = FRAMEWORK_CODES[error.code];
  if (!code) return toGatewayError(error);
  const issues = error.validation;
  return new GatewayError(code, issues && describeQueryIssues(issues, parametersOf(request)), {
    cause: error,
  });
}

/** Issues that one response lists, and characters of the caller's text that it repeats. */
const MAX_ISSUES = 20;
const MAX_QUOTED = 100;

/** The messages are safe to show: they come from the gateway's own schemas. */
function describeQueryIssues(
  issues: readonly FastifySchemaValidationError[],
  known: readonly string[],
): string {
  const described = issues.slice(0, MAX_ISSUES).map(({ instancePath, message, params }) => {
    if (isUnknown(params)) return `"${params[UNKNOWN].slice(0, MAX_QUOTED)}" is not a parameter`;
    const allowed = 'allowedValues' in params ? `: ${String(params['allowedValues'])}` : '';
    return `${instancePath.slice(1)} ${message ?? 'is not valid'}${allowed}`;
  });
  const hint = issues.some(({ params }) => isUnknown(params))
    ? ` Parameters: ${known.join(', ') || 'none'}.`
    : '';
  return `Query: ${described.join('; ')}.${hint}`;
}

const UNKNOWN = 'additionalProperty';
const isUnknown = (params: object): params is { [UNKNOWN]: string } => UNKNOWN in params;

/** The query parameters that the route of a request describes. */
function parametersOf({ routeOptions }: FastifyRequest): readonly string[] {
  const query = routeOptions.schema?.querystring as { properties?: object } | undefined;
  return Object.keys(query?.properties ?? {});
}

function sendRefusal(error: GatewayError, request: FastifyRequest, reply: FastifyReply): void {
  const { httpStatus } = error.row;
  const { retryAfterSeconds, location } = error.details;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  if (location !== undefined) reply.header('location', location);
  // RFC 9110 section 15.5.16
  if (httpStatus === 415 && request.headers['content-encoding'] !== undefined) {
    reply.header('accept-encoding', 'identity');
  }
  announceClose(reply);
  reply
    .code(httpStatus)
    .header('content-type', 'application/json; charset=utf-8')
    .header('x-content-type-options', 'nosniff')
    .header('x-error-code', error.code)
    .send(refusalBody(error));
}
