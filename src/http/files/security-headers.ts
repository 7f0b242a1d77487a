import { pageHeaders } from '../../dialects/rest/html-page.ts';

type Headers = Readonly<Record<string, string>>;

/** One year, as the preload lists of browsers require. Subdomains are not the gateway's to decide about. */
const STRICT_TRANSPORT = 'max-age=31536000';

/**
 * For every response that a browser may show: no content sniffing, and https only if the gateway uses it. Responses to
 * `POST /mcp` omit them: no browser shows those, and two headers cost more than checking the API key of a cached call.
 */
export const responseHeaders = (baseUrl: string): Headers => ({
  'x-content-type-options': 'nosniff',
  ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': STRICT_TRANSPORT } : {}),
});

/**
 * For the page of the dashboard: scripts and style elements run only with the nonce of this response, or when such a script
 * adds them; everything comes from the gateway.
 */
export const dashboardHeaders = (nonce: string, path: string): Headers => ({
  ...dashboardPolicy(nonce),
  // A host opens these pages in a window of its own, and would lose it otherwise.
  ...(OPENED_BY_HOSTS.test(path) && { 'cross-origin-opener-policy': 'unsafe-none' }),
});

const OPENED_BY_HOSTS = /^\/admin\/(?:connect\/|sign-in\b)/;

const dashboardPolicy = (nonce: string): Headers =>
  pageHeaders(
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
  );
