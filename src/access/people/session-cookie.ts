/** How the cookie of a session is named and sent. */
export interface SessionCookie {
  readonly name: string;
  readonly isSecure: boolean;
}

/** Over https, the prefix makes browsers refuse the cookie from another host, path or scheme. */
export function sessionCookieFor(baseUrl: string): SessionCookie {
  const isSecure = baseUrl.startsWith('https:');
  return { name: `${isSecure ? '__Host-' : ''}tool_gateway_session`, isSecure };
}

/** The value of the first cookie with this name in a `Cookie` header, still encoded. */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** A `Set-Cookie` value that removes the session from the browser. */
export const expiredCookie = ({ name, isSecure }: SessionCookie): string =>
  `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
