import { stringify } from 'yaml';
import { StartupError } from '../../platform/kernel/error.ts';
import { SERVICE_KEY } from '../../public-data/service-key.ts';
import { readDocument } from '../../registrations/store/documents.ts';
import {
  findRegistration,
  type RegistrationRecord,
} from '../../registrations/store/registration-record.ts';
import { applyOverlay } from '../../tools/compile/overlay.ts';
import { parseDocument } from '../../tools/document/parse-document.ts';
import { withDatabase } from '../shared/with-database.ts';

type Draft = Record<string, unknown>;

/** A registered API as a preset to edit. Rejects with StartupError for an unknown id. */
export const presetFromRegistration = (id: string): Promise<string> =>
  withDatabase('read', async ({ db }) => {
    const registration = await findRegistration(db, { id }).catch((error: Error) => {
      throw new StartupError(error.message, { cause: error });
    });
    return presetOf(Buffer.from(await readDocument(db, registration.documentId)), registration);
  });

/** The description of a registration with what was chosen beside it; the key becomes a secret of the gateway. */
export async function presetOf(
  document: Buffer,
  {
    name,
    scheme,
    options: { extensions = [], baseUrl },
  }: Pick<RegistrationRecord, 'name' | 'options' | 'scheme'>,
): Promise<string> {
  const { root } = await parseDocument(document.toString('utf8'), name);
  const { credentials, codeKinds, quota } = applyOverlay(root, extensions);
  const preset = root as Draft;
  // What a page of the portal adds for its own display.
  delete preset['swaggerOprtinVOs'];
  preset['openapi'] = '3.1.0';
  if (baseUrl !== null) preset['servers'] = [{ url: baseUrl }];
  if (quota) preset['x-quota'] = quota;
  eachOperation(preset, (name, { parameters }) => {
    for (const parameter of [parameters ?? []].flat() as Draft[]) {
      const kind = codeKinds.get(name)?.[String(parameter['name'])];
      if (kind !== undefined) parameter['x-code-kind'] = kind;
    }
  });
  addKey(preset, credentials, scheme.type === 'provider_key' ? scheme.name : SERVICE_KEY);
  return `${HEAD}${stringify(preset, { aliasDuplicateObjects: false, lineWidth: 120 })}`;
}

const HEAD = `# Made from a registered API. Edit it: descriptions of at least 100 characters, x-publisher, x-licence, x-as-of,
# x-cache-ttl, and the columns that people need (docs/adding-a-preset.md). Then run: presets check
`;

/** Operations that send a key need a scheme with the name of the secret; most send it in one parameter. */
function addKey(preset: Draft, credentials: ReadonlyMap<string, string>, secret: string): void {
  const names = [...new Set(credentials.values())];
  if (names.length === 0) return;
  const schemes = names.map((name, at) => [
    at === 0 ? 'serviceKey' : `serviceKey${at + 1}`,
    {
      type: 'apiKey',
      in: 'query',
      name,
      'x-secret': secret,
      description:
        secret === SERVICE_KEY
          ? 'The service key of data.go.kr; get it at https://www.data.go.kr.'
          : 'The key of the provider. Say where to get it.',
    },
  ]);
  const { components } = preset as { readonly components?: object };
  preset['components'] = { ...components, securitySchemes: Object.fromEntries(schemes) };
  eachOperation(preset, (name, operation) => {
    const scheme = schemes[names.indexOf(credentials.get(name) ?? '')]?.[0];
    if (scheme) operation['security'] = [{ [String(scheme)]: [] }];
  });
}

/** `visit` gets `GET /path` and the operation. */
function eachOperation(preset: Draft, visit: (name: string, operation: Draft) => void): void {
  for (const [path, item] of Object.entries(Object(preset['paths'])) as [string, Draft][]) {
    for (const [method, operation] of Object.entries(item)) {
      visit(`${method.toUpperCase()} ${path}`, operation as Draft);
    }
  }
}
