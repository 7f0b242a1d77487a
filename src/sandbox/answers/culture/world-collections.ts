import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { increaseId } from '../figures.ts';
import { noise, whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { NO_ROWS, type Row, repeated } from '../rows.ts';

/** The words for which the works of the sample were found. */
const SAMPLE_WORDS = 'monet';

/** A row with just the asked columns; those that it lacks are null. */
function onlyAsked(
  question: Question,
  template: Row,
  row: Row,
  always: readonly string[] = [],
): Row {
  const asked = question.list('fields');
  if (asked.length === 0) return row;
  const all = { ...template, ...row };
  const dropped = Object.keys(all).filter(
    (column) => !asked.includes(column) && !always.includes(column),
  );
  return {
    ...Object.fromEntries([...asked, ...always].map((column) => [column, all[column] ?? null])),
    ...Object.fromEntries(dropped.map((column) => [column, undefined])),
  };
}

/** Works that a search finds, the best match first. */
const artworks: AnswerRule = {
  rows(question, sample) {
    const words = question.text('q');
    if (isUnknownCode(words)) return NO_ROWS;
    const isPublic = question.text('query[term][is_public_domain]') === 'true';
    const isKnown = words.toLowerCase() === SAMPLE_WORDS;
    return repeated(whole(20, 90, 'artworks', words), (index) => {
      const template = sample[index % sample.length] ?? {};
      const id = increaseId(template['id'], Math.floor(index / sample.length) * 10);
      const row = {
        id,
        api_link: String(template['api_link']).replace(/\d+$/, String(id)),
        _score: Number((120 / (1 + index / 8)).toFixed(5)),
        is_public_domain: isPublic || noise('public', words, index) > 0.5,
        ...(isKnown && index < sample.length
          ? {}
          : {
              title: `${words} ${index + 1}`,
              thumbnail: null,
              artist_title: 'Sample Artist',
              artist_display: 'Sample Artist',
              date_display: String(whole(1600, 1990, 'artwork', words, index)),
            }),
      };
      return onlyAsked(question, template, row, ['_score']);
    });
  },
  envelope: (_question, page) => ({
    '/pagination/limit': page.size,
    '/pagination/offset': page.from,
    '/pagination/total_pages': Math.ceil(page.total / page.size),
    '/pagination/current_page': page.number,
  }),
};

/** Works whose title, author, subject, year and language are those that were asked for. */
const books: AnswerRule = {
  rows(question, [known = {}]) {
    const [words, title, author] = [
      question.text('q'),
      question.text('title'),
      question.text('author'),
    ];
    const isbn = question.text('isbn');
    if (isUnknownCode(isbn)) return NO_ROWS;
    const wanted = (title || words).toLowerCase();
    const writer = String((known['author_name'] as string[] | undefined)?.[0]);
    const year = question.number('first_publish_year');
    const filtered = ['subject', 'publisher', 'language'].some(
      (name) => question.text(name) !== '',
    );
    const isKnown =
      !filtered &&
      (wanted !== '' || author !== '') &&
      String(known['title']).toLowerCase().includes(wanted) &&
      writer.toLowerCase().includes(author.toLowerCase()) &&
      (year === undefined || year === known['first_publish_year']);
    const count =
      isbn === '' ? whole(15, 900, 'books', words, title, author, question.text('subject')) : 1;
    const language = question.text('language');
    return repeated(count, (index) => {
      const row =
        isKnown && index === 0
          ? {}
          : {
              title: `${title || words || question.text('subject') || isbn || 'Sample'} ${index + 1}`,
              author_name: [author || 'Sample Author'],
              author_key: [],
              ia: [],
              cover_i: null,
              edition_count: whole(1, 40, 'editions', index),
              first_publish_year: year ?? whole(1900, 2020, 'book', index),
              key: `/works/OL${9_000_000 + index}W`,
              has_fulltext: false,
              public_scan_b: false,
            };
      const spoken = language === '' ? {} : { language: [language] };
      return onlyAsked(question, known, { ...row, ...spoken });
    });
  },
  envelope: (_question, page) => ({ '/start': page.from, '/num_found': page.total }),
};

/** Collections outside Korea. */
export const WORLD_COLLECTIONS: AnswerRules = {
  artic_artwork_search: artworks,
  openlibrary_book_search: books,
};
