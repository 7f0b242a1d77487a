import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = globSync(['*.md', '.github/**/*.md', 'docs/**/*.md', 'sandbox/**/*.md'], {
  cwd: ROOT,
});

/** The text of a page without its code, in which nothing is a link. */
const proseOf = (path: string): string =>
  readFileSync(join(ROOT, path), 'utf8')
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]*`/g, '');

/** The anchors of a page, as GitHub makes them from headings and as its author wrote them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/^```.*?^```$/gms, '');
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    let free = anchor;
    for (let number = 1; anchors.has(free); number++) free = `${anchor}-${number}`;
    anchors.add(free);
  }
  for (const [, id = ''] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** Why a link leads nowhere; undefined if it leads somewhere. */
function fault(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#', 2);
  const target = path === '' ? page : join(dirname(page), decodeURIComponent(path));
  if (!existsSync(join(ROOT, target))) return `${page}: ${link} (no such file)`;
  if (anchor === undefined || statSync(join(ROOT, target)).isDirectory()) return undefined;
  const isKnown = !target.endsWith('.md') || anchorsOf(target).has(decodeURIComponent(anchor));
  return isKnown ? undefined : `${page}: ${link} (no such heading)`;
}

test('every relative link of README and the docs leads to a file, and to a heading of it', () => {
  const links = PAGES.flatMap((page) =>
    [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/i.test(link))
      .map((link) => [relative('', page), link] as const),
  );
  expect(links.length).toBeGreaterThan(300);
  expect([...new Set(links.flatMap(([page, link]) => fault(page, link) ?? []))]).toEqual([]);
});
