import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../src/platform/kernel/plain-json.ts';
import { PACKAGE_ROOT } from '../src/platform/kernel/shipped-files.ts';
import { jsonResponse, type SandboxResponse } from './sandbox-response.ts';

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

interface PracticeRequest {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly body: JsonObject | undefined;
}

/**
 * Creates an API that is no preset: its description at `/practice/openapi.yaml`, and the books that it describes, for callers
 * with its bearer token.
 */
export function createPracticeApi(): (request: PracticeRequest) => SandboxResponse {
  const description = readFileSync(join(PACKAGE_ROOT, 'sandbox/practice/openapi.yaml'), 'utf8');
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

  return ({ method, url: { pathname, searchParams }, authorization, body }) => {
    if (pathname === '/practice/openapi.yaml') {
      return { status: 200, contentType: 'application/yaml;charset=UTF-8', body: description };
    }
    if (authorization !== `Bearer ${TOKEN}`) {
      return jsonResponse({ error: `The bearer token of this API is ${TOKEN}.` }, 401);
    }
    const [, , collection, id] = pathname.split('/');
    if (collection !== 'books') return jsonResponse({ error: 'There is no such path.' }, 404);
    if (id !== undefined) {
      const book = books.find((each) => String(each.id) === id);
      return book ? jsonResponse(book) : jsonResponse({ error: 'There is no such book.' }, 404);
    }
    return method === 'POST' ? add(body) : list(searchParams);
  };
}
