import { GatewayError } from '../platform/kernel/error.ts';

/** Nothing that is published by now fits a given argument: `invalid_arguments` that names the latest. */
export function unpublished(name: string, given: unknown, latest: string): GatewayError {
  const issue = {
    path: `/${name}`,
    message: `is ${String(given)}, but the latest available is ${latest}. Give that or an earlier one, or leave ${name} out.`,
  };
  return new GatewayError('invalid_arguments', `${issue.path} ${issue.message}`, {
    details: { errors: [issue] },
  });
}
