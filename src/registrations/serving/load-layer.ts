import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError, toGatewayError } from '../../platform/kernel/error.ts';
import { ownText } from '../../platform/kernel/plain-json.ts';
import type { SecretStore } from '../../platform/vault/secret-store.ts';
import { type CatalogEntry, registeredEntries } from '../../tools/catalog-entry.ts';
import { type CatalogLayer, createLayer } from '../../tools/catalog-layer.ts';
import type { Tool } from '../../tools/model.ts';
import type { ToolConnection } from '../../tools/tool-connection.ts';
import type { LoadedTools } from '../../tools/tool-pieces.ts';
import type { DescriptionCompiler, StoredDescription } from '../steps/description-compiler.ts';
import { openDocument } from '../store/documents.ts';
import { readVersion } from '../store/layers.ts';
import type { RegistrationRecord } from '../store/registration-record.ts';
import type { RegistrationStore } from '../store/registration-store.ts';
import { readCredentials } from '../store/store-deps.ts';
import { findCompiledTools, keepCompiledTools } from '../store/versions.ts';
import type { Connect } from './registered-connection.ts';

export interface LoadLayerDeps {
  readonly db: Kysely<Tables>;
  readonly store: Pick<RegistrationStore, 'layer'>;
  readonly secrets: Pick<SecretStore, 'fields' | 'get'>;
  readonly compiler: Pick<DescriptionCompiler, 'load' | 'stampOf' | 'unpack'>;
  /** Runs tasks one after another. */
  readonly inTurn: <T>(task: () => Promise<T>) => Promise<T>;
  /** Added to the versions of the database. */
  readonly versionBase: number;
  readonly connect: Connect;
  /** Memory for one layer, roughly. The registration that goes beyond it, and later ones, are not served. */
  readonly maxBytes: number;
  /** Called with what keeps a registration, a layer or a credential from being used. Must not throw. */
  readonly onError: (error: unknown, subjectId: string) => void;
}

/** A layer as it was loaded, with what the next one can take over from it. */
export interface LoadedLayer {
  readonly layer: CatalogLayer;
  /** By registration id. */
  readonly parts: ReadonlyMap<string, LoadedRegistration>;
}

interface LoadedRegistration {
  readonly revision: number;
  readonly documentId: string;
  readonly stamp: string;
  readonly loaded: LoadedTools;
  readonly entries: readonly CatalogEntry[];
}

/**
 * Loads the tools of a tenant. What did not change since `earlier` stays the same object, so that nothing is prepared twice.
 * A registration that cannot be loaded is left out, as are those beyond the memory of a layer. Rejects while the database is
 * away or the compiler is overloaded.
 */
export async function loadLayer(
  deps: LoadLayerDeps,
  tenantId: string,
  earlier?: LoadedLayer,
): Promise<LoadedLayer> {
  const version = await readVersion(deps.db);
  const parts = new Map<string, LoadedRegistration>();
  let bytes = 0;
  for (const registration of await deps.store.layer(tenantId)) {
    const { id } = registration;
    try {
      const part = await loadRegistration(deps, registration, earlier?.parts.get(id));
      bytes += part?.loaded.bytes ?? 0;
      if (bytes > deps.maxBytes) throw new GatewayError('unprocessable', TOO_LARGE);
      if (part) parts.set(id, part);
    } catch (error) {
      if (isTransient(error)) throw error;
      deps.onError(error, id);
      // Those that follow are not even compiled: each change would do so again.
      if (bytes > deps.maxBytes) break;
    }
  }
  const entries = [...parts.values()].flatMap((part) => part.entries);
  return { layer: createLayer(entries, deps.versionBase + version), parts };
}

const TOO_LARGE =
  'The tenant has registered more tools than the gateway has memory for: this API and later ones are not served. Raise MEMORY_LIMIT_BYTES, or have the tenant delete an API.';

/** Whether nothing is wrong with the registration itself. */
export const isTransient = (error: unknown): boolean =>
  ['unavailable', 'overloaded'].includes(toGatewayError(error).code);

/** As it was before if its credential is being replaced: the layer is then loaded again. */
async function loadRegistration(
  deps: LoadLayerDeps,
  registration: RegistrationRecord,
  earlier: LoadedRegistration | undefined,
): Promise<LoadedRegistration | undefined> {
  const { documentId, revision } = registration;
  if (earlier?.revision === revision) return earlier;
  const description = describedBy(registration);
  const stamp = deps.compiler.stampOf(description);
  const isSame = earlier?.documentId === documentId && earlier.stamp === stamp;
  const loaded = isSame
    ? earlier.loaded
    : ((await readTools(deps, registration, stamp)) ??
      (await compileTools(deps, registration, description)));
  const credentials = await credentialsOf(deps, registration);
  const connection = deps.connect(registration, credentials, loaded.tools);
  // A newer credential must not be sent to the origins, and its responses not be found, of an older one.
  if (!(await hasCredentialOf(deps.db, registration))) return earlier;
  const entries = entriesOf(registration, loaded.tools, connection);
  return { revision, documentId, stamp, loaded, entries };
}

const describedBy = (record: RegistrationRecord): Omit<StoredDescription, 'document'> => {
  const { descriptionUrl, name, scheme, options, origins } = record;
  const tools = record.tools.map(({ compiled }) => compiled);
  return { descriptionUrl, name, scheme, options, origins, tools };
};

/** The tools as they were stored; undefined if they must be compiled. */
async function readTools(
  { db, compiler, inTurn }: LoadLayerDeps,
  registration: RegistrationRecord,
  stamp: string,
): Promise<LoadedTools | undefined> {
  // One API at a time, however many tenants come at once: theirs come in between, and the JSON of one is in memory.
  return inTurn(async () => {
    const content = await findCompiledTools(db, registration, stamp);
    return content && compiler.unpack(content).catch(() => undefined);
  });
}

/** Compiles the tools, and stores them for the next start. */
async function compileTools(
  { db, compiler }: LoadLayerDeps,
  registration: RegistrationRecord,
  description: Omit<StoredDescription, 'document'>,
): Promise<LoadedTools> {
  const document = await openDocument(db, registration.documentId);
  if (!document) throw new GatewayError('internal');
  const stored = { ...description, document };
  const { loaded, compiledTools } = await compiler.load(stored, registration.tenantId);
  // Only the next start needs them.
  if (compiledTools)
    await keepCompiledTools(db, registration, compiledTools).catch(() => undefined);
  return loaded;
}

/** Each tool under the name that was stored for it, with what a person wrote in place of the description's own text. */
function entriesOf(
  registration: RegistrationRecord,
  tools: readonly Tool[],
  connection: ToolConnection,
): readonly CatalogEntry[] {
  const { tenantSlug, slug, name: title, descriptions } = registration;
  const names = new Map(registration.tools.map(({ compiled, name }) => [compiled, name]));
  return registeredEntries({
    tenantSlug,
    slug,
    title,
    category: registration.about.category ?? DEFAULT_CATEGORY,
    createdAt: new Date(registration.createdAtMs).toISOString(),
    tools: tools.map((tool) => {
      const description = ownText(descriptions, tool.name);
      return description === undefined ? tool : { ...tool, description };
    }),
    names: tools.map(({ name }) => names.get(name) ?? name),
    connection,
  });
}

/** The category of APIs that name none. */
export const DEFAULT_CATEGORY = 'registered';

async function hasCredentialOf(
  db: Kysely<Tables>,
  { id, credentialVersion }: RegistrationRecord,
): Promise<boolean> {
  const same = db.selectFrom('registrations').select('id').where('id', '=', id);
  const row = await runQuery(() =>
    same.where('credential_version', '=', credentialVersion).executeTakeFirst(),
  );
  return row !== undefined;
}

/**
 * A credential that no key decrypts fails the calls that need it, and nothing else: its tenant can use its other tools, and
 * replace the credential.
 */
const credentialsOf = (deps: LoadLayerDeps, registration: RegistrationRecord) =>
  readCredentials(deps.secrets, registration).catch((error: unknown) => {
    if (toGatewayError(error).code !== 'missing_secret') throw error;
    deps.onError(error, registration.id);
    return {};
  });
