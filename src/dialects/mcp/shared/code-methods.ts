import type { CodeFinder } from '../../door/code-finder.ts';
import { completeKind, completeName } from '../../door/complete-code.ts';
import { encodeResponse } from '../../json-rpc/encode.ts';
import type { Method } from '../../json-rpc/methods.ts';
import { CODE_TEMPLATE, decodeAddress, decodeCompletion } from './code-params.ts';

export const RESOURCES_READ = 'resources/read';

const JSON_TYPE = 'application/json';

const templateOf = ({ kindNote }: CodeFinder) => ({
  uriTemplate: CODE_TEMPLATE,
  name: 'codes',
  title: 'Codes',
  description: [
    'Codes that tools take as arguments, by kind and name (Korean or English): the rows of find_code.',
    ...(kindNote === undefined ? [] : [kindNote]),
  ].join(' '),
  mimeType: JSON_TYPE,
});

export interface CodeMethodDeps {
  readonly codes: CodeFinder;
}

/** The further members of results about codes in a revision of MCP. */
export interface CodeEncoding {
  /** Of results that clients may cache. */
  readonly cached: object;
  readonly other: object;
}

/** The codes of `find_code` as resources, and the completion of their addresses, with the names of the methods. */
export const createCodeMethods = (
  { codes }: CodeMethodDeps,
  { cached, other }: CodeEncoding,
): readonly (readonly [string, Method])[] => [
  ['resources/list', ({ id }) => encodeResponse(id, { resources: [], ...cached })],
  [
    'resources/templates/list',
    ({ id }) => encodeResponse(id, { resourceTemplates: [templateOf(codes)], ...cached }),
  ],
  [
    RESOURCES_READ,
    async ({ id, params }) => {
      const { uri, kind, name } = decodeAddress(params);
      const text = JSON.stringify(await codes.find({ kind, text: name }));
      return encodeResponse(id, { contents: [{ uri, mimeType: JSON_TYPE, text }], ...cached });
    },
  ],
  [
    'completion/complete',
    async ({ id, params }) => {
      const { argument, value, kind } = decodeCompletion(params, codes.kinds);
      const completion =
        argument === 'kind' ? completeKind(codes, value) : await completeName(codes, value, kind);
      return encodeResponse(id, { completion, ...other });
    },
  ],
];
