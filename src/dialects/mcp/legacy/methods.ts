import { encodeResponse } from '../../json-rpc/encode.ts';
import type { Method, Methods } from '../../json-rpc/methods.ts';
import { type CodeMethodDeps, createCodeMethods } from '../shared/code-methods.ts';
import type { DialectName } from '../shared/detect-dialect.ts';
import { createToolMethods, type ToolMethodDeps } from '../shared/tool-methods.ts';
import { LEGACY_CODES, LEGACY_ENCODING } from './encode.ts';
import { initialize } from './initialize.ts';

/** The transport whose clients have a stream on which the gateway announces changes. */
const ANNOUNCING: DialectName = 'http-sse';

const initializeMethod: Method = ({ id, params }, { dialect }) =>
  encodeResponse(id, initialize(params, dialect === ANNOUNCING));

const ping: Method = ({ id }) => encodeResponse(id, {});

/** The methods of the revisions from 2024-11-05 to 2025-11-25, for both transports. */
export const createLegacyMethods = (deps: ToolMethodDeps & CodeMethodDeps): Methods =>
  new Map([
    ['initialize', initializeMethod],
    ['ping', ping],
    ...createToolMethods(deps, LEGACY_ENCODING),
    ...createCodeMethods(deps, LEGACY_CODES),
  ]);
