import { type DatasetFacts, NO_FACTS, type PageReading } from '../../tools/proposal.ts';

const PORTAL = 'https://www.data.go.kr';
const DATASET_ID = /^\d{5,15}$/;
const PAGE_PATH = /^\/(?:[a-z]+\/)?data\/(\d{5,15})\/(?:openapi|fileData|standard)\.do$/;

/** The page of a dataset of data.go.kr. */
export const pageOfDataset = (id: string): string => `${PORTAL}/data/${id}/openapi.do`;

const isPortalHost = (host: string): boolean => /^(www\.)?data\.go\.kr$/.test(host);

/** The page of what a person pasted: the number of a dataset, or the address of one of its pages. */
export function portalPageOf(text: string): string | undefined {
  const given = text.trim();
  if (DATASET_ID.test(given)) return pageOfDataset(given);
  const url = URL.parse(/^(www\.)?data\.go\.kr\//i.test(given) ? `https://${given}` : given);
  const id = url && isPortalHost(url.host) ? PAGE_PATH.exec(url.pathname)?.[1] : undefined;
  return id === undefined ? undefined : pageOfDataset(id);
}

/** A script says where the description is, or contains it. */
const SWAGGER_URL = /\bswaggerUrl\s*[:=]\s*(['"`])([^'"`\s]{1,2000})\1/;
const SWAGGER_JSON = /\bswaggerJson\s*[:=]\s*([`'"])/;
const OWN_PAGE =
  /data\.go\.kr\/data\/(\d{5,15})\/openapi\.do|publicDataPk["'\s:=]+(?:value=)?["']?(\d{5,15})/;

/** Reads the page of a dataset of data.go.kr; undefined for a page of another publisher. */
export function readPortalPage(html: string, url: string | null): PageReading | undefined {
  const address = url === null ? undefined : URL.parse(url);
  const isFromPortal = address ? isPortalHost(address.host) : /data\.go\.kr/.test(html);
  if (!isFromPortal) return undefined;
  const facts = factsOf(html, url);
  const literal = literalIn(html);
  const text = literal === undefined ? undefined : descriptionIn(literal);
  const named = SWAGGER_URL.exec(html)?.[2];
  const link = named === undefined ? undefined : URL.parse(named, PORTAL);
  if (link && /^https?:$/.test(link.protocol)) return { kind: 'address', url: link.href, facts };
  if (text !== undefined) return { kind: 'description', text, facts };
  return { kind: 'problem', problem: problemOf(html, facts), facts };
}

/** The text of the literal that the script assigns to `swaggerJson`; undefined without one, or without its end. */
function literalIn(html: string): string | undefined {
  const found = SWAGGER_JSON.exec(html);
  const quote = found?.[1];
  if (!found || quote === undefined) return undefined;
  const start = found.index + found[0].length;
  for (let at = start; at < html.length; at++) {
    if (html[at] === '\\') at++;
    else if (html[at] === quote) return html.slice(start, at);
  }
  return undefined;
}

/** The JSON in a literal of JavaScript. Undefined for an empty one. */
function descriptionIn(literal: string): string | undefined {
  const [first] = [unescaped(literal), literal].filter(isJsonObject);
  return first;
}

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    return JSON.parse(text) !== null;
  } catch {
    return false;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
};

const ESCAPE = /\\(u\{[0-9a-f]{1,6}\}|u[0-9a-f]{4}|x[0-9a-f]{2}|\r\n|[\s\S])/gi;

/** What a literal of JavaScript stands for (ECMA-262, section 12.9). */
const unescaped = (literal: string): string =>
  literal.replace(ESCAPE, (whole: string, behind: string) => {
    const digits = /^[ux]\{?([0-9a-f]+)\}?$/i.exec(behind)?.[1];
    if (digits !== undefined && behind.length > 1) {
      const point = Number.parseInt(digits, 16);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    }
    return /^[\r\n\u2028\u2029]/.test(behind) ? '' : (ESCAPES[behind] ?? behind);
  });

function problemOf(html: string, { url }: DatasetFacts) {
  const markup = withoutScripts(html);
  if (IS_LINK.test(cellsOf(markup))) {
    return {
      code: 'link_elsewhere' as const,
      message:
        'The page only links to another site, which has no description here. Look there for an OpenAPI description, or write one.',
      url: linkIn(markup) ?? url,
    };
  }
  return {
    code: 'table_only' as const,
    message:
      'The page has no OpenAPI description, only a table or a document to read. Write a description from it, or ask the institution for one.',
    url,
  };
}

/** Pages of datasets whose API is elsewhere say so where they name its type: in the next cells, or in those below. */
const IS_LINK = /(?:API|서비스|제공)\s*(?:유형|형태|방식)[\s\S]{0,300}?(?:LINK|링크)/i;

/** Behind the name of the address, or in the button that leads there; written as a link, in a script, or as text. */
const LINKS = [
  /(?:URL|주소|바로가기)[^<]{0,100}<[\s\S]{0,600}?(https?:\/\/[^\s"'<>()\\]{1,2000})/gi,
  /(https?:\/\/[^\s"'<>()\\]{1,2000})[^<>]{0,300}>[^<]{0,100}(?:바로가기|이동)/gi,
];

/** The address of another site to which the page leads; undefined if it names none. */
function linkIn(markup: string): string | undefined {
  const written = LINKS.flatMap((pattern) =>
    [...markup.matchAll(pattern)].map(([, url = '']) => url),
  );
  const urls = written.map((text) => URL.parse(text.replaceAll('&amp;', '&')));
  return urls.find((url) => url && !isPortalHost(url.host))?.href;
}

function factsOf(html: string, url: string | null): DatasetFacts {
  const text = cellsOf(withoutScripts(html));
  const id =
    portalPageOf(url ?? '')?.match(/\d{5,15}/)?.[0] ??
    OWN_PAGE.exec(html)
      ?.slice(1)
      .find((each) => each !== undefined) ??
    null;
  return {
    ...NO_FACTS,
    id,
    title: after(text, 'OpenAPI 명') ?? titleOf(html),
    publisher: after(text, '제공기관'),
    url: id === null ? url : pageOfDataset(id),
    licence: after(text, '이용허락범위'),
    dailyCalls: dailyCallsIn(text),
  };
}

const TITLES = [
  /open-api-title[^>]{0,100}>([^<]{1,300})</i,
  /<meta[^>]{0,200}og:title[^>]{0,40}content\s*=\s*["']([^"']{1,300})["']/i,
  /<title>([^<]{1,300})<\/title>/i,
];

function titleOf(html: string): string | null {
  const found = TITLES.map((pattern) => pattern.exec(html)?.[1]).find((each) => each !== undefined);
  return found?.split('|')[0]?.trim() || null;
}

/** Where a cell of a table ends. */
const END = '\u0001';

const withoutScripts = (html: string): string =>
  html.replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, '');

/** The text of a page; cells are apart. */
const cellsOf = (markup: string): string =>
  markup
    .replace(/<\/?(?:t[dhr]|li|d[dt]|p|div|h\d|strong|span)\b[^>]*>/gi, END)
    .replace(/<[^<>]{0,2000}>/g, '')
    .replace(/&nbsp;|\s+/g, ' ');

/** The cell after the cell with this text. */
function after(text: string, label: string): string | null {
  const start = text.indexOf(label);
  if (start < 0) return null;
  const cells = text
    .slice(start + label.length, start + label.length + 1000)
    .split(END)
    .map((cell) => cell.replace(/^[\s:]+/, '').trim())
    .filter((cell) => cell !== '');
  const [cell] = cells;
  return cell === undefined || cell.length > 200 ? null : cell;
}

/** "개발계정 : 10,000 / 운영계정 : 활용사례 등록시 신청하면 트래픽 증가 가능": what an account gets at first. */
function dailyCallsIn(text: string): number | null {
  const start = text.indexOf('트래픽');
  if (start < 0) return null;
  const figure = /개발\s*계정\D{0,20}([\d,]{1,12})/.exec(text.slice(start, start + 400))?.[1];
  const calls = Number((figure ?? '').replaceAll(',', ''));
  return Number.isSafeInteger(calls) && calls > 0 ? calls : null;
}
