import { createSandbox } from '../../sandbox/sandbox.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';
import type { Clock } from '../../src/platform/kernel/time.ts';
import { PUBLIC_DATA_PAYLOADS } from '../../src/public-data/payload-domain.ts';
import { PUBLIC_DATA_TOOLS } from '../../src/public-data/tool-domain.ts';
import { loadPresets } from '../../src/tools/catalog/load-presets.ts';
import type { Tool } from '../../src/tools/model.ts';
import { createRequestEncoder } from '../../src/tools/request/request-encoder.ts';
import { createPayloadReader } from '../../src/upstreams/payload/read-payload.ts';
import { SHIPPED_PRESETS } from './sandboxed-presets.ts';

/** A row, or the whole response of a tool without rows. */
export type SandboxRow = Readonly<Record<string, unknown>>;

/** A response of the sandbox as the gateway normalises it. */
export interface AskedResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly rows: readonly SandboxRow[];
  /** Null where the upstream does not tell. */
  readonly total: number | null;
  readonly data: unknown;
}

export interface AskedSandbox {
  readonly tools: readonly Tool[];
  /** Calls a tool as the gateway would, with just these arguments. */
  ask(tool: string, args: Readonly<Record<string, unknown>>): Promise<AskedResponse>;
  close(): Promise<void>;
}

const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((node, key) => (node as SandboxRow | undefined)?.[key], value);

/** The sandbox of the shipped presets, without a gateway. Defaults are those of the presets, except computed ones. */
export async function startAskedSandbox(clock: Clock): Promise<AskedSandbox> {
  const { presets } = await loadPresets({ dir: SHIPPED_PRESETS, domain: PUBLIC_DATA_TOOLS });
  const sandbox = await createSandbox({
    presetsDir: SHIPPED_PRESETS,
    host: '127.0.0.1',
    port: 0,
    clock,
  });
  const entries = presets.flatMap(({ id, tools }) => tools.map((tool) => ({ id, tool })));
  const readPayload = createPayloadReader(PUBLIC_DATA_PAYLOADS);

  return {
    tools: entries.map(({ tool }) => tool),
    async ask(name, args) {
      const entry = entries.find(({ tool }) => tool.name === name);
      if (!entry) throw new Error(`There is no tool ${name}.`);
      const { tool, id } = entry;
      const encode = createRequestEncoder({ ...tool, baseUrl: sandbox.baseUrlFor(id) });
      const request = encode({ ...schemaDefaults(tool), ...args }, () => new Secret('good-key'));
      const body = request.body && new Uint8Array(request.body);
      const response = await fetch(`${request.origin}${request.path}`, {
        method: request.method,
        headers: request.headers,
        body,
      });
      const payload = readPayload({
        status: response.status,
        contentType: response.headers.get('content-type') ?? '',
        body: Buffer.from(await response.arrayBuffer()),
        shape: tool.payload,
        isPublicData: tool.isPublicData,
      });
      const data: unknown = JSON.parse(payload.json.toString());
      return { status: response.status, ok: payload.ok, data, ...rowsOf(tool, data) };
    },
    close: () => sandbox.close(),
  };
}

function rowsOf({ payload }: Tool, data: unknown): Pick<AskedResponse, 'rows' | 'total'> {
  const found = payload.items === null ? [data] : at(data, payload.items);
  const rows = (Array.isArray(found) ? found : []) as SandboxRow[];
  const total = payload.total === null ? undefined : at(data, payload.total);
  return {
    rows: rows.map((row) => (payload.itemWrapper ? (row[payload.itemWrapper] as SandboxRow) : row)),
    total: total === undefined ? null : Number(total),
  };
}

function schemaDefaults(tool: Tool): Record<string, unknown> {
  const properties = tool.inputSchema['properties'] as Record<string, { default?: unknown }>;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      schema.default === undefined || name.startsWith('_') ? [] : [[name, schema.default]],
    ),
  );
}
