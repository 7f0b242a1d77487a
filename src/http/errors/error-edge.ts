import type { IncomingMessage } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { discardBody } from '../bodies/discard-body.ts';
import { WholeRequest } from '../bodies/whole-request.ts';
import { announceClose } from './announce-close.ts';
import { refusalBody } from './format-refusal.ts';

/** The framework's own refusals, in our words. */
const FRAMEWORK_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'unreadable_request',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'unreadable_request',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_VALIDATION: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
};

/** Every error of a route ends here. */
export function installErrorEdge(app: FastifyInstance): void {
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => {
    printError(new GatewayError('not_found'), request, reply);
  });
}

/** The one place where an error becomes an HTTP answer: two fields, and never foreign text. */
export function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const ours = fromFramework(error);
  if (ours.code !== 'too_large' || isWaiting(request.raw)) printError(ours, request, reply);
  else discardBody(request.raw, () => printError(ours, request, reply));
}

/** A client that sends its body when told to has sent nothing that would be lost. */
const isWaiting = (raw: IncomingMessage): boolean => raw instanceof WholeRequest && raw.isWaiting;

function fromFramework(error: FastifyError): GatewayError {
  const code = FRAMEWORK_CODES[error.code];
  if (!code) return toGatewayError(error);
  return new GatewayError(code, error.validation ? describeQueryFault(error) : undefined, {
    cause: error,
  });
}

/** Faults that one answer lists, and characters of a caller's text that it repeats. */
const MAX_FAULTS = 20;
const MAX_QUOTED = 100;

/** Query faults are written by our own schemas, so their text is ours to show. */
function describeQueryFault(error: FastifyError): string {
  const faults = (error.validation ?? [])
    .slice(0, MAX_FAULTS)
    .map(({ instancePath, message, params }) => {
      const extra =
        'additionalProperty' in params
          ? `"${String(params['additionalProperty']).slice(0, MAX_QUOTED)}" `
          : '';
      const allowed = 'allowedValues' in params ? `: ${String(params['allowedValues'])}` : '';
      return `${extra}${instancePath.slice(1)} ${message ?? 'is not valid'}${allowed}`.trim();
    });
  return `Query: ${faults.join('; ')}.`;
}

function printError(error: GatewayError, request: FastifyRequest, reply: FastifyReply): void {
  if (error.code === 'internal') {
    request.log.error({ err: error.cause, requestId: request.id }, 'request failed');
  }
  const { httpStatus } = error.row;
  const { retryAfterSeconds } = error.details;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  // RFC 9110 section 15.5.16
  if (httpStatus === 415 && request.headers['content-encoding'] !== undefined) {
    reply.header('accept-encoding', 'identity');
  }
  announceClose(reply);
  reply
    .code(httpStatus)
    .header('content-type', 'application/json; charset=utf-8')
    .header('x-content-type-options', 'nosniff')
    .send(refusalBody(error));
}
