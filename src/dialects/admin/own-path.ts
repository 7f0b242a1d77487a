const HOME = '/admin';

/**
 * The path if it is one of the dashboard, and the dashboard's start otherwise: a link to the gateway must not lead to
 * another site.
 */
export function ownPath(path: string | undefined): string {
  if (!path?.startsWith('/')) return HOME;
  const origin = 'https://gateway.invalid';
  if (!URL.canParse(path, origin)) return HOME;
  const url = new URL(path, origin);
  const isPage = url.pathname === HOME || url.pathname.startsWith(`${HOME}/`);
  if (url.origin !== origin || !isPage || url.pathname.startsWith(`${HOME}/api`)) return HOME;
  return `${url.pathname}${url.search}${url.hash}`;
}
