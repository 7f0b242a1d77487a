import { createHash } from 'node:crypto';
import type { OAuthError } from '../../access/oauth/oauth-error.ts';
import { describeRedirect } from '../../access/oauth/redirects.ts';
import type { RouteResponse } from '../route.ts';

const STYLE =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1.5rem;color-scheme:light dark}';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * A request that is refused, as a page for the person whose browser it came with: without a script, and of the request only
 * the address that the client has registered, as a link.
 */
export const refusalPage = (error: OAuthError, location?: string): RouteResponse => ({
  status: 400,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tool Gateway</title><style>${STYLE}</style>
<h1>This program cannot be connected</h1>
<p>The program sent a request that the gateway does not accept, so nothing was shared with it. Remove the gateway from the program and add it again. If that does not help, show this page to the operator of the gateway.</p>
<p><code>${error.oauthCode}</code>: ${error.message}</p>
<p lang="ko">이 프로그램의 요청이 올바르지 않아 연결할 수 없습니다. 아무 정보도 전달되지 않았습니다. 프로그램에서 게이트웨이를 제거한 뒤 다시 추가해 보세요.</p>${location === undefined ? '' : wayBack(location)}</html>
`,
});

/** Where the person may go, who sees where that is. */
function wayBack(location: string): string {
  const { host } = describeRedirect(location);
  return `
<p>Follow this link only if you have just started to connect a program. The gateway does not know who is behind it: <a rel="noreferrer" href="${escapeHtml(location)}">back to <code>${escapeHtml(host)}</code></a></p>
<p lang="ko">방금 프로그램 연결을 직접 시작한 경우에만 위 링크를 따라가세요. 게이트웨이는 링크 뒤에 누가 있는지 알지 못합니다.</p>`;
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
