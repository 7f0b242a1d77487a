import {
  type CallContext,
  CallFailure,
  type CallOutcome,
  type ToolCall,
} from '../../calls/tool-call.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { decodeCallParams } from '../json-rpc/decode.ts';
import { unknownTool } from './describe-tools.ts';
import type { OwnToolDeps } from './door-deps.ts';
import { isOwnToolName } from './own-tools.ts';
import { signatureOf } from './signature.ts';

/**
 * `call_tool`: calls the tool that the arguments name, as a call of its own. Rejects like that call; the message about
 * invalid arguments ends with the tool's signature.
 */
export async function callInner(
  deps: Pick<OwnToolDeps, 'callTool' | 'callCode' | 'find' | 'findAny' | 'listTools'>,
  call: ToolCall,
  context: CallContext,
): Promise<CallOutcome> {
  const { caller } = context;
  const { name, arguments: args, clientId = call.clientId } = decodeCallParams(call.arguments);
  const entry = deps.findAny(caller, name);
  if (!entry && isOwnToolName(name)) throw new GatewayError('invalid_arguments', direct(name));
  const run = entry && !deps.find(caller, name) ? deps.callCode : deps.callTool;
  return run({ ...call, name, arguments: args, clientId }, context).catch((error) => {
    if (!entry) throw isUnknown(error) ? unknownTool(deps.listTools, caller, name) : error;
    throw withSignature(error, entry);
  });
}

const isUnknown = (thrown: unknown): boolean =>
  thrown instanceof GatewayError && thrown.code === 'tool_not_found';

const direct = (name: string): string =>
  `call_tool: ${name} cannot be called through call_tool. Call ${name} itself.`;

/** A failure because of invalid arguments, with the signature of the tool. */
function withSignature(thrown: unknown, entry: CatalogEntry): unknown {
  if (!(thrown instanceof CallFailure) || thrown.error.code !== 'invalid_arguments') return thrown;
  const { auditId, tool, error } = thrown;
  const message = `${error.message}\nSignature:\n${signatureOf(entry)}\n`;
  const described = new GatewayError(error.code, message, {
    details: error.details,
    cause: error,
  });
  return new CallFailure(auditId, tool, described);
}
