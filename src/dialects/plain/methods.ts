import type { ListTools } from '../../calls/list-tools.ts';
import { whenReady } from '../../platform/kernel/awaitable.ts';
import type { CallAnyTool } from '../gateway-tools/own-response.ts';
import { isOwnResponse, plainResponse } from '../gateway-tools/own-response.ts';
import { decodeCallParams } from '../json-rpc/decode.ts';
import { encodeResponse } from '../json-rpc/encode.ts';
import { decodeListParams } from '../json-rpc/list-params.ts';
import { type Method, type Methods, TOOLS_CALL } from '../json-rpc/methods.ts';

import { createToolListEncoder, encodeOutcome, encodeTools } from './encode.ts';

export interface PlainMethodDeps {
  readonly listTools: ListTools;
  readonly callTool: CallAnyTool;
}

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
      (message, context, { cancellation }) =>
        callTool({ ...decodeCallParams(message), cancellation }, context).then((outcome) =>
          isOwnResponse(outcome)
            ? encodeResponse(message.id, plainResponse(outcome))
            : encodeOutcome(message.id, outcome),
        ),
    ],
  ]);
}
