import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { readSmallBody } from '../read-small-body.ts';
import { jsonResponse, type SandboxResponse } from '../sandbox-response.ts';

/** The token that the practice API accepts. */
const TOKEN = 'practice-token';

/** Books that the API keeps; one more replaces the oldest. */
const MAX_BOOKS = 100;

interface Book {
  readonly id: number;
  readonly title: string;
  readonly author: string;
  readonly year: number | null;
}

const FIRST_BOOKS: readonly Book[] = [
  { id: 1, title: 'Ficciones', author: 'Jorge Luis Borges', year: 1944 },
  { id: 2, title: 'The Left Hand of Darkness', author: 'Ursula K. Le Guin', year: 1969 },
  { id: 3, title: '토지', author: '박경리', year: 1969 },
];

/**
 * Creates an API that is no preset: its description at `/practice/openapi.yaml`, and the books that it describes, for callers
 * with its bearer token.
 */
export function createPracticeApi(): (
  request: IncomingMessage,
  url: URL,
) => Promise<SandboxResponse> {
  const description = readFileSync(new URL('./openapi.yaml', import.meta.url), 'utf8');
  const books: Book[] = [...FIRST_BOOKS];
  let lastId = books.length;

  const add = ({ title, author, year }: JsonObject = {}): SandboxResponse => {
    if (typeof title !== 'string' || typeof author !== 'string') {
      return jsonResponse({ error: 'title and author are required.' }, 400);
    }
    const book = { id: ++lastId, title, author, year: typeof year === 'number' ? year : null };
    books.push(book);
    if (books.length > MAX_BOOKS) books.shift();
    return jsonResponse(book, 201);
  };

  const list = (query: URLSearchParams): SandboxResponse => {
    const author = (query.get('author') ?? '').toLowerCase();
    const found = books.filter((book) => book.author.toLowerCase().includes(author));
    return jsonResponse({ books: found.slice(0, Number(query.get('limit') ?? 20)) });
  };

  return async (request, { pathname, searchParams }) => {
    if (pathname === '/practice/openapi.yaml') {
      return { status: 200, contentType: 'application/yaml;charset=UTF-8', body: description };
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      return jsonResponse({ error: `The bearer token of this API is ${TOKEN}.` }, 401);
    }
    const [, , collection, id] = pathname.split('/');
    if (collection !== 'books') return jsonResponse({ error: 'There is no such path.' }, 404);
    if (id !== undefined) {
      const book = books.find((each) => String(each.id) === id);
      return book ? jsonResponse(book) : jsonResponse({ error: 'There is no such book.' }, 404);
    }
    return request.method === 'POST' ? add(await readSmallBody(request)) : list(searchParams);
  };
}
