import type { ResponseHeaders } from '../../platform/kernel/http-names.ts';
import type { HiddenSecrets } from '../../tools/tool-connection.ts';
import { redactorFor } from '../redaction/redact-secrets.ts';

/** Addresses that an upstream names beside its payload: absolute, without secrets. */
export interface ResponseLinks {
  /** `Location`: what was created, or where a redirect leads. */
  readonly location?: string;
  /** `Operation-Location` or `Azure-AsyncOperation`: the status of what is still under way. */
  readonly operation?: string;
  /** `Link` with `rel="next"`: the page that follows. */
  readonly next?: string;
}

/** Longest address; a longer one is left out, because a part of it leads nowhere. */
export const MAX_LINK_LENGTH = 2000;

/** The addresses in the headers of a response; undefined without any. `base`: the address of the request, without secrets. */
export function linksOf(
  headers: ResponseHeaders,
  base: string,
  hidden: HiddenSecrets | undefined,
): ResponseLinks | undefined {
  const all = (name: string): string => [headers[name] ?? []].flat().join(',');
  const read = (target: string | undefined): string | undefined => {
    const address = target && URL.parse(target.trim(), base);
    if (!address || !/^https?:$/.test(address.protocol)) return undefined;
    const text = redactorFor(hidden).text(Buffer.from(address.href)).toString();
    return text.length > MAX_LINK_LENGTH ? undefined : text;
  };
  const found = {
    location: read(all('location')),
    operation: read(all('operation-location') || all('azure-asyncoperation')),
    next: read(nextIn(all('link'))),
  };
  const links = Object.entries(found).filter(([, link]) => link !== undefined);
  return links.length === 0 ? undefined : Object.fromEntries(links);
}

/** The target of the first link whose relation is `next` (RFC 8288 section 3). */
function nextIn(header: string): string | undefined {
  for (const [, target, parameters = ''] of header.matchAll(/<([^<>]*)>([^<]*)/g)) {
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters) ?? [];
    const relations = (quoted ?? plain ?? '').toLowerCase().split(/\s+/);
    // An anchor says that the link belongs to another document.
    if (relations.includes('next') && !/;\s*anchor\s*=/i.test(parameters)) return target;
  }
  return undefined;
}
