/** It is sent with every request. */
const MAX_LENGTH = 254;

/** Characters of an address in a comment of a header, which parentheses enclose. */
const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** The parser of `UPSTREAM_CONTACT`: an address of a page or an e-mail address, as a header can carry it. */
export function contact(text: string): string {
  const isEmail = EMAIL.test(text);
  if (text.length > MAX_LENGTH || !(isEmail || isPage(text))) {
    throw new Error(
      `must be an e-mail address, or an address that starts with http:// or https:// and has no password, in at most ${MAX_LENGTH} characters`,
    );
  }
  return isEmail ? text : pageAddress(text);
}

function isPage(text: string): boolean {
  // The parser of addresses drops line breaks.
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** An address without its password, in characters that a comment of a header may have. */
export function pageAddress(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const address = `${origin}${pathname}${search}`.replace(/\/$/, '');
  return address.replaceAll('(', '%28').replaceAll(')', '%29');
}
