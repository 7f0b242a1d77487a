import { isObject } from '../../src/platform/kernel/plain-json.ts';
import type { UpstreamFamily } from '../families.ts';
import { isXml, type SandboxResponse } from '../sandbox-response.ts';
import { formOf, type Specials, words } from './form.ts';
import { makeRows } from './make-rows.ts';
import { type Page, pageOf, type Question } from './question.ts';
import { type Row, rowsOf, writePage } from './sample-format.ts';
import { SPECIALS } from './specials.ts';
import { KOREAN_WEATHER } from './weather/korean-weather.ts';
import { OPEN_METEO } from './weather/open-meteo.ts';

const ALL_SPECIALS: Specials = { ...SPECIALS, ...KOREAN_WEATHER, ...OPEN_METEO };

/** A response, and whether it is one with data: neither refused nor empty. */
interface Answer {
  readonly response: SandboxResponse;
  readonly hasData: boolean;
}

/** What the upstream responds to a question, in the form of its sample. */
export function answerQuestion(
  question: Question,
  family: UpstreamFamily,
  sample: SandboxResponse,
): Answer {
  const { tool } = question;
  const form = formOf(tool.name);
  const special = ALL_SPECIALS[tool.name] ?? {};
  const { items, total } = tool.payload;
  if (items === null) {
    const whole: unknown = isXml(sample) ? undefined : JSON.parse(sample.body);
    if (!isObject(whole)) return { response: sample, hasData: true };
    const found = makeRows(form, special, question, [whole]);
    if (found.count === 0) return { response: family.empty(sample), hasData: false };
    const body = JSON.stringify(special.whole?.(question, whole) ?? found.at(0));
    return { response: { ...sample, body }, hasData: true };
  }
  const found = makeRows(form, special, question, rowsOf(sample, tool.payload));
  const range = pageOf(question);
  const length = Math.max(0, Math.min(range.size, found.count - range.from));
  const rows = Array.from({ length }, (_, place) =>
    onlyAsked(question, found.at(range.from + place)),
  );
  const page = { ...range, total: found.count, rows };
  const envelope = envelopeOf(question, page);
  if (rows.length === 0) return { response: family.empty(sample), hasData: false };
  // One provider tells the total in its rows.
  const [, column] = /^\/0\/(\w+)$/.exec(total ?? '') ?? [];
  const isInRows = items === '' && column !== undefined;
  const told = isInRows ? rows.map((row) => ({ ...row, [column]: String(page.total) })) : rows;
  const response = writePage(sample, tool.payload, { ...page, rows: told }, envelope);
  return { response, hasData: true };
}

/** A row with the columns that a question chooses; those that it lacks are null. */
function onlyAsked({ list }: Question, row: Row): Row {
  const [chosen, excluded] = [[...list('fields'), ...list('include')], list('exclude')];
  if (chosen.length > 0) return Object.fromEntries(chosen.map((name) => [name, row[name] ?? null]));
  return Object.fromEntries(Object.entries(row).filter(([name]) => !excluded.includes(name)));
}

/** How upstreams name the counts beside the rows. */
const COUNTS = {
  total: words('num_found request_cnt'),
  number: words('pageNo page_no page pageIndex current_page'),
  size: words('numOfRows page_count per_page limit pageUnit'),
  from: words('offset start'),
  pages: words('pages total_page total_pages'),
  length: words('match_cnt resultNum'),
};

/** The members beside the rows: how many there are, which page it is, and what was asked. */
function envelopeOf({ tool, asked, text }: Question, page: Page) {
  const counts = { ...page, pages: Math.ceil(page.total / page.size), length: page.rows.length };
  const totalName = /[^/]*$/.exec(tool.payload.total ?? '')?.[0];
  return (name: string): unknown => {
    if (name === totalName) return page.total;
    const count = Object.entries(COUNTS).find(([, names]) => names.includes(name))?.[0];
    if (count !== undefined) return counts[count as keyof typeof COUNTS];
    return asked.some((each) => each.name === name) ? text(name) || undefined : undefined;
  };
}
