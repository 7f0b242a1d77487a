import { pageAddress } from '../platform/config/contact.ts';
import type { Settings } from '../platform/config/settings.ts';
import { VERSION } from '../platform/kernel/version.ts';
import { USER_AGENT } from '../tools/request/request-encoder.ts';
import type { GatewayContext } from './options.ts';

type ContactSettings = Pick<Settings, 'UPSTREAM_CONTACT' | 'BASE_URL'>;

/** How the gateway introduces itself to the providers of presets: its version, and where to reach who runs it. */
export function userAgentOf(settings: ContactSettings): string {
  const contact = contactOf(settings);
  return `${USER_AGENT}/${VERSION}${contact === undefined ? '' : ` (+${contact})`}`;
}

function contactOf({ UPSTREAM_CONTACT, BASE_URL }: ContactSettings): string | undefined {
  if (UPSTREAM_CONTACT !== undefined || BASE_URL === undefined) return UPSTREAM_CONTACT;
  // Without TLS, it is mostly the address of a trial, which names no contact.
  return new URL(BASE_URL).protocol === 'https:' ? pageAddress(BASE_URL) : undefined;
}

/** Says which presets have providers that may refuse requests without a contact, unless there is one. */
export function warnWithoutContact(context: GatewayContext): void {
  const { settings, catalog, logger, worker, isSandbox } = context;
  if (isSandbox || contactOf(settings) !== undefined || (worker && worker.number > 1)) return;
  const names = catalog.servers.flatMap(({ id, title, tools }) =>
    tools.some(({ contactHeader }) => contactHeader !== undefined) ? [`${title} (${id})`] : [],
  );
  if (names.length === 0) return;
  logger.warn(
    `The providers of these presets may refuse requests that name no contact: ${names.join(', ')}. Set UPSTREAM_CONTACT to an e-mail address or the address of a page.`,
  );
}
