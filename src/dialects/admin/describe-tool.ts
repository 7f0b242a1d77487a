import type { PresetDetails, ReadPresetDetails } from '../../tools/catalog/preset-details.ts';
import type { CatalogEntry, HasSecret } from '../../tools/catalog-entry.ts';
import type { PresetServer, Tool } from '../../tools/model.ts';

export interface DescribeToolDeps {
  readonly catalog: { readonly servers: readonly PresetServer[] };
  readonly readDetails: ReadPresetDetails;
  /** A sample of the JSON that calls of a preset's tool return; undefined without one. */
  readonly sampleOf: (preset: PresetServer, tool: Tool) => Buffer | undefined;
  readonly hasSecret: HasSecret;
}

/** Bytes; a longer sample is left out. */
const MAX_SAMPLE_BYTES = 64 * 1024;

/** Describes one tool in full, for its page. */
export function createDescribeTool({
  catalog,
  readDetails,
  sampleOf,
  hasSecret,
}: DescribeToolDeps) {
  return async (entry: CatalogEntry, { showsSecrets }: { readonly showsSecrets: boolean }) => {
    const { tool, category, source } = entry;
    const preset =
      source === 'preset' ? catalog.servers.find(({ id }) => id === entry.server.id) : undefined;
    // Its file may have been replaced by one that is faulty, or deleted: the tool stays in use.
    const details = preset && (await readDetails(preset).catch(() => undefined));
    return {
      id: entry.id,
      ...toolPart(tool),
      category,
      source,
      visibility: entry.visibility,
      server: { ...entry.server, ...serverPart(details) },
      columns: details?.columnsOf(tool) ?? namedOnly(tool),
      computedDefaults: namesOfComputed(tool),
      secrets: secretsOf(tool).map((secret) => ({
        ...secret,
        isSet: showsSecrets ? hasSecret(secret.name) : null,
      })),
      sample: preset ? readSample(sampleOf(preset, tool)) : null,
    };
  };
}

const toolPart = (tool: Tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.inputSchema,
  method: tool.method,
  path: tool.path,
  baseUrl: tool.baseUrl,
  isPublicData: tool.isPublicData,
  readOnly: tool.annotations.readOnlyHint,
  cacheTtlSeconds: tool.cacheTtlSeconds,
  /** Where the rows are in `data`, as a JSON pointer. */
  items: tool.payload.items,
  itemWrapper: tool.payload.itemWrapper,
  personal: tool.personal,
});

const serverPart = (details: PresetDetails | undefined) => ({
  description: details?.description ?? null,
  documentation: details?.documentation ?? null,
  license: details?.license ?? null,
  termsOfService: details?.termsOfService ?? null,
});

/** Of registered APIs, the catalog knows the names of the columns only. */
const namedOnly = ({ payload }: Tool) =>
  (payload.columns ?? []).map((name) => ({ name, description: null, type: null }));

/** The names of the arguments that the gateway computes when they are left out. */
const namesOfComputed = ({ parameters }: Tool): readonly string[] =>
  parameters.flatMap(({ source }) =>
    source.kind === 'argument' && source.computedDefault ? [source.property] : [],
  );

/** The secrets that a call needs, each once, with where to get it. */
function secretsOf({ secrets, parameters }: Tool) {
  const descriptions = new Map(
    parameters.flatMap(({ source }) =>
      source.kind === 'secret' ? [[source.secret, source.description] as const] : [],
    ),
  );
  return secrets.map((name) => ({ name, description: descriptions.get(name) ?? null }));
}

const readSample = (json: Buffer | undefined): unknown =>
  json && json.length <= MAX_SAMPLE_BYTES ? JSON.parse(json.toString()) : null;
