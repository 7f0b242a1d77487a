interface SignInSearch {
  /** The address to return to after signing in. */
  readonly back?: string;
  /** Why the identity provider did not sign the person in. */
  readonly error?: string;
}

const MAX_TEXT = 2000;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_TEXT ? value : undefined;

export function readSignInSearch(search: Record<string, unknown>): SignInSearch {
  const [back, error] = [text(search['back']), text(search['error'])];
  return { ...(back && { back }), ...(error && { error }) };
}

/** What the link of an invitation carries. */
export const readInvitation = ({ token }: Record<string, unknown>): { token: string } => ({
  token: text(token) ?? '',
});

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
