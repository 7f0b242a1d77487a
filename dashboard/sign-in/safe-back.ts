const START = '/admin';

/** Where to go after signing in: only to a page of the dashboard, whatever the address asks for. */
export function safeBack(back: string | undefined, origin: string): string {
  if (!back) return START;
  const url = URL.parse(back, origin);
  if (url?.origin !== origin || !isPage(url.pathname)) return START;
  return `${url.pathname}${url.search}${url.hash}`;
}

const isPage = (path: string): boolean =>
  path === START || (path.startsWith(`${START}/`) && !/^\/admin\/(api|auth|sign-in)\b/.test(path));
