import type { CallTool } from '../../calls/call-tool.ts';
import type { ListTools } from '../../calls/list-tools.ts';
import { whenReady } from '../../platform/kernel/awaitable.ts';
import { decodeCallParams } from '../json-rpc/decode.ts';
import { type Method, type Methods, TOOLS_CALL } from '../json-rpc/methods.ts';
import { decodeListParams } from './decode.ts';
import { createToolListEncoder, encodeOutcome, encodeTools } from './encode.ts';

export interface PlainMethodDeps {
  readonly listTools: ListTools;
  readonly callTool: CallTool;
}

/** The methods of plain JSON-RPC. */
export function createPlainMethods({ listTools, callTool }: PlainMethodDeps): Methods {
  const encodeToolList = createToolListEncoder();
  return new Map<string, Method>([
    [
      'tools/list',
      ({ id, params }, { caller }) =>
        whenReady(listTools(caller, decodeListParams(params)), (entries) =>
          encodeTools(id, encodeToolList(entries)),
        ),
    ],
    [
      TOOLS_CALL,
      ({ id, params }, context, { cancellation }) =>
        callTool({ ...decodeCallParams(params), cancellation }, context).then((outcome) =>
          encodeOutcome(id, outcome),
        ),
    ],
  ]);
}
