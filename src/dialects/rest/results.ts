import { createExportSlots } from '../../audit/reading/encode-export.ts';
import {
  encodeFile,
  FILE_FORMATS,
  FILE_MEDIA_TYPES,
  type FileFormat,
} from '../../calls/results/encode-file.ts';
import type { ResultFile, ResultStore } from '../../calls/results/result-store.ts';
import { TEXT } from '../../platform/input/schema.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { refusal } from '../json-rpc/component.ts';
import { callerOf, type Route, type RouteRequest, type RouteResult } from '../route.ts';
import { downloadHeaders, sendFile } from '../send-file.ts';

export interface ResultRoutesDeps {
  readonly results: Pick<ResultStore, 'find' | 'read' | 'checkSignature'>;
  /** Whether a key may use a tool. */
  readonly canUse: (caller: Caller, tool: string) => boolean;
  /** Counts a request without a key. Rejects with `rate_limited`. */
  readonly admit: NonNullable<Route['admit']>;
}

/** Files that are sent to readers of one tenant at once. */
const MAX_DOWNLOADS = 4;

/** The files of answers (docs/contract.md#files-of-answers): with a key of their tenant, or at a signed address. */
export function createResultRoutes({ results, canUse, admit }: ResultRoutesDeps): Route[] {
  const slots = createExportSlots(MAX_DOWNLOADS);

  function send(file: ResultFile, format: FileFormat, { method }: RouteRequest): RouteResult {
    const download = { contentType: FILE_MEDIA_TYPES[format], fileName: `${file.name}.${format}` };
    if (method === 'HEAD') return { status: 200, headers: downloadHeaders(download), body: null };
    const encoded = encodeFile(format, file.columns, results.read(file));
    return sendFile({ ...download, chunks: slots.run(file.tenantId, encoded) });
  }

  return [
    {
      ...DESCRIPTION,
      path: '/api/v1/results/:file',
      operation: 'getResult',
      access: 'key',
      handle: async (request) => {
        const caller = callerOf(request);
        const { id, format } = nameIn(request);
        const file = await results.find(id, caller.tenantId);
        if (!canUse(caller, file.tool)) throw unknownFile();
        return send(file, format, request);
      },
    },
    {
      ...DESCRIPTION,
      path: '/results/:file',
      operation: 'getSignedResult',
      access: 'public',
      query: {
        expires: { ...TEXT, description: 'Until when the address opens the file.' },
        sig: { ...TEXT, description: 'The signature of the gateway.' },
      },
      admit,
      handle: async (request) => {
        const { id, format } = nameIn(request);
        const { expires = '', sig = '' } = request.query;
        await results.checkSignature(id, String(expires), String(sig));
        return send(await results.find(id, null), format, request);
      },
    },
  ];
}

const DESCRIPTION = {
  method: 'GET',
  tag: 'Tools',
  summary: 'All rows of an answer as a file',
  description: 'The addresses come from `rows.link` of a call. A file is kept for an hour.',
  params: { file: 'The id and the format: `<id>.csv`, `<id>.ndjson` or `<id>.json`.' },
  responses: {
    200: { description: 'The file.', schema: TEXT, contentType: FILE_MEDIA_TYPES.csv },
    404: refusal('There is no such file.'),
    410: refusal('The file is no longer kept.'),
  },
} as const satisfies Partial<Route>;

const NAME = new RegExp(`^([\\w-]{32})\\.(${FILE_FORMATS.join('|')})$`);

function nameIn({ params }: RouteRequest): { readonly id: string; readonly format: FileFormat } {
  const [, id, format] = NAME.exec(params['file'] ?? '') ?? [];
  if (id === undefined) throw unknownFile();
  return { id, format: format as FileFormat };
}

const unknownFile = (): GatewayError => new GatewayError('not_found', 'There is no such file.');
