import { isLoopbackHost } from '../../platform/kernel/addresses.ts';
import { OAuthError } from './oauth-error.ts';

/** Characters of a redirect address. */
export const MAX_REDIRECT = 2048;

/** Schemes that a browser handles itself, where no application waits for the code. */
const OF_BROWSERS =
  'about blob brave chrome data edge feed file filesystem ftp intent jar javascript livescript mhtml mocha moz-extension opera resource vbscript view-source vivaldi wais ws wss wyciwyg';

/** Schemes that start a program of the operating system, or one that comes with it: an address could make it do harm. */
const OF_SYSTEMS = [
  // Of Windows.
  'bingmaps bingnews calculator explorer.exe hcp insiderhub its ldap ldaps mk msnim mswindowsmusic mswindowsvideo onenote onenote-cmd outlookfeed outlookmail read res rlogin search shell tbauth tn3270 wab windowsdefender xbox',
  // Of macOS and iOS.
  'addressbook afp app-prefs applescript facetime facetime-audio help ical imessage macappstore macappstores maps message music photos-redirect podcasts prefs shortcuts videos x-help-action x-man-page x-radar',
  // Of Linux and Android.
  'android-app apt content fish ghelp gnome-help info man market package snap trash',
  // Of programs for mail, calls, files and other machines.
  'callto cid dav davs dict dns finger geo gopher h323 imap irc ircs magnet mailto mid mms news nfs nntp pop rdp rsync rtsp sftp sip sips smb sms smsto snews ssh svn tel telnet tftp udp vnc webcal webcals xmpp',
].join(' ');

const REFUSED_SCHEMES = new Set(
  `${OF_BROWSERS} ${OF_SYSTEMS}`.split(' ').map((name) => `${name}:`),
);

/** Browsers and systems name further ones so. Attacks have used `search-ms:` and `microsoft-edge:` again and again. */
const REFUSED_FAMILIES = /^(?:chrome-|ms-|microsoft-|search-|apple-|x-apple|itms|com\.apple\.)/;

/** Printable ASCII without what URL parsers repair in different ways: spaces, backslashes, quotes and brackets. */
const PLAIN = /^[a-z][a-z0-9+.-]*:[\w.~:/?@!$&'()*+,;=%[\]-]+$/i;

const WEB = new Set(['http:', 'https:']);

/**
 * The address that a client registers for its codes. Throws `invalid_redirect_uri` for one that could lead elsewhere: a scheme
 * of the browser or of the system, plain http to another machine, a fragment, a user name, or text that parsers read in different ways.
 */
export function checkRedirect(text: string): string {
  const url = text.length <= MAX_REDIRECT && PLAIN.test(text) ? URL.parse(text) : null;
  if (!url || isRefused(url.protocol) || !hasPlainAuthority(url, text)) {
    throw new OAuthError(
      'invalid_redirect_uri',
      'A redirect address is https, http to this machine, or has a scheme of an application; it has no fragment and no user name.',
    );
  }
  return text;
}

const isRefused = (protocol: string): boolean =>
  REFUSED_SCHEMES.has(protocol) || REFUSED_FAMILIES.test(protocol);

function hasPlainAuthority(url: URL, text: string): boolean {
  if (!WEB.has(url.protocol)) return !text.includes('@');
  // What the parser has changed, another one may read differently: upper case, a numeric host, dots in the path.
  const isAsWritten = url.href === text || url.href === `${text}/`;
  const isAnonymous = url.username === '' && url.password === '';
  return isAsWritten && isAnonymous && (url.protocol === 'https:' || isLoopbackHost(url.host));
}

/**
 * Whether a code may be sent to an address: to exactly a registered one (RFC 9700 section 4.1.3), but to any port of this
 * machine, since applications listen on a free one (RFC 8252 section 7.3).
 */
export const isRegistered = (redirects: readonly string[], given: string): boolean =>
  redirects.includes(given) || redirects.some((each) => differsInPort(each, given));

function differsInPort(registered: string, given: string): boolean {
  if (!LOOPBACK.test(registered) || !LOOPBACK.test(given) || !URL.canParse(given)) return false;
  return withoutPort(registered) === withoutPort(given);
}

/** Its port may be one that no parser takes. */
const LOOPBACK = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?]|$)/;

/** An address without a path has the path `/`. */
const withoutPort = (text: string): string => {
  const rest = text.replace(LOOPBACK, (_, host: string) => `http://${host}`);
  return URL.parse(rest)?.href ?? rest;
};

/** Hosts that people connect, which need no warning. */
const KNOWN_HOSTS = new Set([
  'claude.ai',
  'claude.com',
  'chatgpt.com',
  'vscode.dev',
  'insiders.vscode.dev',
  'global.consent.azure-apim.net',
]);

/** Where a code is sent, as people must see it. */
export interface ReturnAddress {
  /** Of a web address its host, of an application its scheme. */
  readonly host: string;
  /** This machine, an application on it, a site that is known to connect, or another one. */
  readonly kind: 'loopback' | 'app' | 'known' | 'unknown';
}

export function describeRedirect(text: string): ReturnAddress {
  const { protocol, host, hostname } = new URL(text);
  if (!WEB.has(protocol)) return { host: protocol, kind: 'app' };
  if (isLoopbackHost(host)) return { host, kind: 'loopback' };
  return { host, kind: KNOWN_HOSTS.has(hostname) ? 'known' : 'unknown' };
}
