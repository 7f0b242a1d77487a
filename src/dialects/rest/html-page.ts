import { createHash } from 'node:crypto';

/** Markup. Texts become a part of it only through `html`, which escapes them. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

export type HtmlPart = Html | string | number | false | undefined | readonly HtmlPart[];

/** Markup of a template; false and undefined become nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(String.raw({ raw: strings }, ...parts.map(markupOf)));

function markupOf(part: HtmlPart): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(markupOf).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

type Headers = Readonly<Record<string, string>>;

/** For every page: it cannot be framed, and other sites learn nothing of its address. */
export const pageHeaders = (...policy: readonly string[]): Headers => ({
  'content-security-policy': ["default-src 'none'", ...policy, "frame-ancestors 'none'"].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
});

/** A page that needs no build. */
export interface Page {
  readonly language: string;
  readonly title: string;
  /** Leads to the address of the gateway, relative to the page: a proxy may serve it below a path of its own. */
  readonly root: '' | '../';
  readonly style?: string;
  readonly script?: string;
  readonly content: Html;
}

/** A page in the dashboard's colours. Only its own style and script run, which the policy names by their hashes. */
export function writePage(page: Page): { readonly markup: string; readonly headers: Headers } {
  const { language, title, root, style = '', script, content } = page;
  const styles = STYLE + style;
  const { markup } = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${root}favicon.ico">
<style>${new Html(styles)}</style>
</head>
<body>
<header class="brand"><a href="${root}admin"><img src="${root}favicon.ico" alt="" width="28" height="28">Tool Gateway</a></header>
${content}
${script !== undefined && html`<script>${new Html(script)}</script>`}
</body>
</html>
`;
  const headers = pageHeaders(
    `style-src ${hashSource(styles)}`,
    ...(script === undefined ? [] : [`script-src ${hashSource(script)}`]),
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  );
  return { markup, headers };
}

const hashSource = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The colours and fonts of dashboard/app/theme.ts. */
const STYLE = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1f252d, #dde2e9);
  --dimmed: light-dark(#5d6875, #95a0af);
  --page: light-dark(#fff, #14181f);
  --raised: light-dark(#fff, #1e242d);
  --sunken: light-dark(#f7f8fa, #0f1318);
  --line: light-dark(#e2e6eb, #2c3440);
  --accent: light-dark(#0f6b5b, #57bfa1);
}
* { box-sizing: border-box }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans KR", "Noto Sans CJK KR", sans-serif;
  overflow-wrap: anywhere;
}
:lang(ko) { word-break: keep-all }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
h1, h2, h3 { font-weight: 650; line-height: 1.35; text-wrap: balance }
h1 { font-size: 1.5rem; margin: 0 0 0.75rem }
h2 { font-size: 1.125rem }
h3 { font-size: 1rem }
code, pre { font: 0.875em/1.5 ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "D2Coding", "Noto Sans Mono CJK KR", monospace }
.dimmed { color: var(--dimmed) }
.brand { display: flex; padding: 0.8rem 1rem; border-bottom: 1px solid var(--line); background: var(--raised) }
.brand a { display: inline-flex; align-items: center; gap: 0.6rem; color: inherit; font-weight: 650; text-decoration: none }
`;
