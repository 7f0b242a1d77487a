import { createTenantStore } from '../../src/access/tenants/tenant-store.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { GatewayError } from '../../src/platform/kernel/error.ts';
import type { Secret } from '../../src/platform/kernel/secret.ts';
import type { Clock } from '../../src/platform/kernel/time.ts';
import { newEncryptionKey, readEncryptionKey } from '../../src/platform/vault/cipher.ts';
import { createVault } from '../../src/platform/vault/vault.ts';
import {
  type DecodeLimits,
  decodeRegistration,
} from '../../src/registrations/request/decode-registration.ts';
import type {
  RegistrationRequest,
  VersionOptions,
} from '../../src/registrations/request/registration-request.ts';
import type {
  RegistrationSteps,
  ToolTraits,
} from '../../src/registrations/steps/registration-steps.ts';
import type { RegisterDeps } from '../../src/registrations/store/register-job.ts';
import type { OperationFilter } from '../../src/tools/compile/compile-policy.ts';
import { openTestDatabase, type TestBackend, type TestPlace } from './databases.ts';

export const DECODE_LIMITS: DecodeLimits = {
  maxDocumentBytes: 1_000_000,
  urls: { allowPrivate: false, ownHosts: new Set() },
};

/** A small description: the base address, and the operations separated by spaces. */
export const description = (operations: string, baseUrl = 'https://api.example.com/v1'): string =>
  `${baseUrl}\n${operations}`;

/** A valid request; `body` replaces members. */
export const request = (body: Readonly<Record<string, unknown>> = {}): RegistrationRequest =>
  decodeRegistration(
    {
      name: 'My API',
      ...('spec_url' in body ? {} : { spec_raw: description('list get') }),
      ...body,
    },
    DECODE_LIMITS,
  );

/** An operation of a small description: `name`, and its traits as `#text`, `~arguments`, `^request` and `@origin`. */
const OPERATION =
  /^(?<name>[a-z_]+)(?:#(?<text>\w+))?(?:~(?<inputs>\w+))?(?:\^(?<rest>\w+))?(?:@(?<server>\S+))?$/;

function readOperation(text: string, base: string): [string, ToolTraits] {
  const {
    name = text,
    text: words = '',
    inputs = '',
    rest = '',
    server,
  } = OPERATION.exec(text)?.groups ?? {};
  const origin = server ?? new URL(base).origin;
  return [name, { description: words, parameters: inputs, request: rest, origin }];
}

const isSelected = (name: string, { include, exclude }: VersionOptions): boolean => {
  const fits = ({ operationId }: OperationFilter) => operationId === name;
  return (include?.some(fits) ?? true) && !exclude.some(fits);
};

function documentAt(documents: Readonly<Record<string, string>>, url: string): Buffer {
  const text = documents[url];
  if (text === undefined) throw new GatewayError('upstream_unreachable');
  return Buffer.from(text);
}

/** Steps that read the descriptions above. A URL is fetched from the map; another one is unreachable. */
export const smallSteps = (
  documents: Readonly<Record<string, string>> = {},
): RegistrationSteps => ({
  fetchDocument: async (url) => documentAt(documents, url),
  findDocument: async (url) => documentAt(documents, url),
  compile: async ({ document, options }) => {
    const [baseUrl = '', operations = ''] = Buffer.from(await document.read())
      .toString()
      .split('\n');
    if (baseUrl === 'broken') {
      throw new GatewayError('unprocessable', 'The description has no paths.', {
        details: { errors: [{ path: '/paths', message: 'is required.' }] },
      });
    }
    const base = options.baseUrl ?? baseUrl;
    const traits = operations
      .split(' ')
      .filter(Boolean)
      .map((operation) => readOperation(operation, base))
      .filter(([name]) => isSelected(name, options));
    return {
      baseUrl: base,
      tools: traits.map(([name]) => name),
      traits: Object.fromEntries(traits),
      report: { tools: traits.length },
      compiledTools: { stamp: base, content: Buffer.from(traits.map(([name]) => name).join(' ')) },
    };
  },
});

/** A database with two tenants, and what the stores of registrations need. */
export interface RegistrationPlace {
  readonly place: TestPlace;
  readonly database: Database;
  readonly deps: RegisterDeps;
  /** Ids of tenants. */
  readonly ours: string;
  readonly theirs: string;
  /** The time; tests advance it. */
  readonly clock: { nowMs: number } & Clock;
  close(): Promise<void>;
}

/** The key is given where another process must read the secrets. */
export async function openRegistrationPlace(
  backend: TestBackend,
  key: Secret = newEncryptionKey(),
): Promise<RegistrationPlace> {
  const place = await backend.makePlace();
  const database = await openTestDatabase(place);
  const clock = { nowMs: 1_764_000_000_000, now: () => clock.nowMs };
  const tenants = createTenantStore({ db: database.db, clock });
  const encryptionKey = readEncryptionKey(key);
  const vault = createVault(() => [encryptionKey]);
  return {
    place,
    database,
    clock,
    deps: { db: database.db, vault, clock, isSharedName: () => false },
    ours: (await tenants.ensure('ours')).id,
    theirs: (await tenants.ensure('theirs')).id,
    close: async () => {
      await database.close();
      await place.remove();
    },
  };
}

/** Everything that is stored of registrations besides jobs: what a failed job must not leave behind. */
export async function storedRows({ db }: Pick<Database, 'db'>) {
  const secrets = await db.selectFrom('secrets').select(['subject_id', 'field']).execute();
  const documents = await db.selectFrom('registration_documents').select('id').execute();
  const registrations = await db.selectFrom('registrations').select(['id', 'name']).execute();
  return { secrets, documents, registrations };
}
