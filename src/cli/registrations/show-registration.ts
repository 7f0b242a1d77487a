import { StartupError } from '../../platform/kernel/startup-error.ts';
import { toRegistrationView } from '../../registrations/registration-views.ts';
import { readDocument } from '../../registrations/store/documents.ts';
import { findVersions } from '../../registrations/store/find-registration.ts';
import { copyVersion } from '../../registrations/store/versions.ts';
import { withAdvice } from './decide-registration.ts';
import { withRegistrations } from './with-registrations.ts';

/**
 * Prints the latest version of a registration, the one that an approval takes into use, or its description as it is stored:
 * its address may serve another one to the operator who reviews it.
 */
export async function showRegistration(
  id: string,
  options: { readonly document?: true },
): Promise<void> {
  if (options.document && process.stdout.isTTY) {
    throw new StartupError(
      'A description may contain what a terminal obeys. Redirect the output to a file.',
    );
  }
  await withRegistrations('read', async (_store, { db }) => {
    const { latest } = await findVersions(db, { id }).catch((error: unknown) => {
      throw withAdvice(error, id);
    });
    if (options.document) {
      process.stdout.write(await readDocument(db, latest.documentId));
      return;
    }
    const { revision, version, origins, descriptions, tenantSlug: tenant } = latest;
    const report: unknown = JSON.parse((await copyVersion(db, latest)).report);
    const { id: same, ...view } = toRegistrationView(latest);
    const texts = { origins, descriptions, report };
    const shown = { id: same, tenant, ...view, revision, version, ...texts };
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  });
}
