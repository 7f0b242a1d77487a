import type { UpstreamHandler } from './fixture-upstream.ts';

/** A preset whose operations have ranges; its upstream is `answerRanges`. */
export const RANGE_PRESET = `openapi: 3.1.0
info: { title: Ranges, version: "1" }
servers: [{ url: "http://range.invalid" }]
paths:
  /deals:
    get:
      operationId: range_deals
      description: Deals of a district in a month.
      x-items: /items
      x-total: /total
      x-quota: { calls: 900 }
      parameters:
        - { name: region, in: query, required: true, description: A district., x-code-kind: district, schema: { type: string, pattern: "^\\\\d{5}$" } }
        - { name: month, in: query, required: true, description: "A month, YYYYMM.", schema: { type: string, pattern: "^\\\\d{4}(0[1-9]|1[0-2])$" } }
        - { name: kind, in: query, description: A kind., schema: { type: string } }
        - { name: pageNo, in: query, description: A page., schema: { type: integer, minimum: 1, default: 1 } }
        - { name: numOfRows, in: query, description: Rows per page., schema: { type: integer, minimum: 1, maximum: 100, default: 10 } }
      responses: { "200": { description: Deals. } }
  /open:
    get:
      operationId: range_open
      description: Rows without a total.
      x-items: /items
      x-cache-ttl: 0
      parameters:
        - { name: n, in: query, required: true, description: A number., schema: { type: integer } }
        - { name: pageNo, in: query, description: A page., schema: { type: integer, minimum: 1, default: 1 } }
        - { name: numOfRows, in: query, description: Rows per page., schema: { type: integer, minimum: 1, maximum: 1000, default: 10 } }
      responses: { "200": { description: Rows. } }
  /days:
    get:
      operationId: range_days
      description: One row for each day of a period.
      x-items: /items
      x-range: [{ from: first, to: last, step: day, max: 10 }]
      parameters:
        - { name: first, in: query, description: "The first day, YYYYMMDD.", schema: { type: string, pattern: "^\\\\d{8}$" } }
        - { name: last, in: query, description: The last day., schema: { type: string, pattern: "^\\\\d{8}$" } }
      responses: { "200": { description: Days. } }
`;

export interface Deal {
  readonly id: string;
  readonly price: number;
  readonly name: string;
}

/** The deals of a district in a month: 0 to 249, always the same. */
export function dealsOf(region: string, month: string): Deal[] {
  const seed = [...`${region}${month}`].reduce((sum, digit) => sum * 7 + Number(digit), 1) % 1009;
  return Array.from({ length: seed % 250 }, (_, n) => ({
    id: `${region}-${month}-${n}`,
    price: 10_000 + ((seed * (n + 3) * 37) % 90_000),
    name: `House ${n}`,
  }));
}

/** Answers the operations of the preset, page by page. */
export const answerRanges: UpstreamHandler = (request, response) => {
  const url = new URL(request.url, 'http://range.invalid');
  const text = (name: string): string => url.searchParams.get(name) ?? '';
  const send = (body: unknown): void => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };
  if (url.pathname === '/days') {
    const days = daysOf(text('first'), text('last'));
    return send({ items: days.map((day) => ({ day, value: Number(day) % 97 })) });
  }
  const all =
    url.pathname === '/open'
      ? Array.from({ length: Number(text('n')) }, (_, row) => ({ row }))
      : dealsOf(text('region'), text('month'));
  const [page, size] = [Number(text('pageNo') || 1), Number(text('numOfRows') || 10)];
  const items = all.slice((page - 1) * size, page * size);
  send(url.pathname === '/open' ? { items } : { items, total: all.length });
};

function daysOf(first: string, last: string): string[] {
  const days: string[] = [];
  const timeOf = (day: string): number =>
    Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)));
  for (let time = timeOf(first); time <= timeOf(last); time += 86_400_000)
    days.push(new Date(time).toISOString().slice(0, 10).replaceAll('-', ''));
  return days;
}
