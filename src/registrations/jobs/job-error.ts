import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';
import type { JobError } from '../store/job-record.ts';
import { MAX_ERROR_LENGTH } from '../store/registration-bounds.ts';

/** What a failed job says to its tenant. Text of a foreign error is not part of it. */
export function toJobError(thrown: unknown): JobError {
  const { code, message, details } = toGatewayError(thrown);
  const pointer = details.errors?.[0]?.path;
  return {
    code,
    message: message.slice(0, MAX_ERROR_LENGTH),
    ...(pointer === undefined ? {} : { pointer: pointer.slice(0, MAX_ERROR_LENGTH) }),
  };
}

/** Says why by the first operation: most often it is the same for all of them. */
export function noTools({ operations }: JsonObject): GatewayError {
  const first: unknown = Array.isArray(operations) ? operations[0] : undefined;
  const { pointer, reason } = isObject(first) ? first : {};
  if (typeof reason !== 'string') return new GatewayError('unprocessable', NO_TOOLS);
  const errors = [{ path: String(pointer), message: reason }];
  return new GatewayError('unprocessable', `${NO_TOOLS} The first one: ${reason}`, {
    details: { errors },
  });
}

const NO_TOOLS =
  'No operation of the description can become a tool. The report says why for each of them.';
