import { createHash } from 'node:crypto';

type Headers = Readonly<Record<string, string>>;

/** A year, as browsers' own lists ask for. Subdomains are not the gateway's to speak for. */
const STRICT_TRANSPORT = 'max-age=31536000';

/**
 * For every answer that a browser may show: it keeps to the content type, and to https where the gateway is reached by
 * it. Left out of what `POST /mcp` answers, since no browser shows that and two headers cost more than a cached call's
 * check of its key.
 */
export const answerHeaders = (baseUrl: string): Headers => ({
  'x-content-type-options': 'nosniff',
  ...(baseUrl.startsWith('https:') ? { 'strict-transport-security': STRICT_TRANSPORT } : {}),
});

/**
 * For the page of the API reference: it runs its own scripts only, is framed by nobody, and talks to the gateway.
 * Styles are inline, as the page's script makes them. `gatewayOrigins` are those that its requests may be sent to.
 */
export function pageHeaders(html: string, gatewayOrigins: readonly string[]): Headers {
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts(html).map(hashSource)].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...gatewayOrigins].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  };
}

const inlineScripts = (html: string): string[] =>
  [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => text,
  );

const hashSource = (script: string): string =>
  `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
