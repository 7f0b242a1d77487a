import { ownText } from '../../../src/platform/kernel/plain-json.ts';
import { DAY, startOfDay } from '../../../src/public-data/korean-time.ts';
import { onFirstUse, readFacts } from '../../places.ts';
import {
  type AnswerRule,
  type AnswerRules,
  each,
  emptied,
  filled,
  foundRow,
  mentions,
  namedAlike,
  type Row,
  repeated,
  words,
} from '../answer-rule.ts';
import { increaseId, noise, whole } from '../figures.ts';
import type { Question } from '../question.ts';

/** Names of kinds and regions of heritage, by the parameter and its code. */
const heritageNames = onFirstUse(() =>
  Object.fromEntries(
    readFacts('heritage-codes').map(([parameter, code, name]) => [`${parameter}=${code}`, name]),
  ),
);

const OF_A_HERITAGE = words(
  'ccbaMnm2 ccsiName ccbaAdmin ccbaLcad imageUrl content gcodeName bcodeName mcodeName scodeName',
);

/** The kind and the region that a question names, or else those of another row. */
const placeInHeritage = ({ text }: Question, otherwise: Row): Row => {
  const nameOf = (parameter: string, column: string): unknown => {
    const code = text(parameter);
    if (code === '') return otherwise[column] ?? '';
    return ownText(heritageNames(), `${parameter}=${code}`) ?? code;
  };
  return {
    ccmaName: nameOf('ccbaKdcd', 'ccmaName'),
    ccbaCtcdNm: nameOf('ccbaCtcd', 'ccbaCtcdNm'),
  };
};

const KEY = words('ccbaKdcd ccbaCtcd ccbaAsno');
const SAMPLE_KEY: Row = { ccbaKdcd: '11', ccbaAsno: '0000010000000', ccbaCtcd: '11' };

const isSampleKey = ({ text }: Question): boolean =>
  Object.entries(SAMPLE_KEY).every(([name, value]) => text(name) === value);

/** Titles in the list of popular books. */
const POPULAR = 200;

const OF_A_SITE = words(
  'rdnmadr lnmadr latitude longitude homepageUrl phoneNumber operInstitutionNm insttNm ' +
    'ctprvnNm signguNm opar mnnstNm auspcInsttNm suprtInsttNm fstvlCo relateInfo',
);

/** A rule for the places of a standard dataset with the asked name. */
const standard = (
  name: string,
  parameter: string,
  echo: Readonly<Record<string, string>>,
): AnswerRule => ({
  echo,
  codes: [parameter],
  rows(question, sample) {
    const { text, has } = question;
    const asked = text(parameter);
    const found = { parameter, name, own: OF_A_SITE, called: '표본' };
    const isKnown = Object.entries(echo).every(([column, each]) =>
      ['', sample[0]?.[column]].includes(text(each)),
    );
    const all = has(...Object.values(echo)) ? 60 : 1_200;
    return repeated(asked === '' ? all : 1, (index) => {
      const change = foundRow(question, sample, index, found);
      const isChanged = asked !== '' && Object.keys(change).length > 0;
      if (isKnown) return isChanged ? { ...change, [name]: asked } : change;
      const unasked = OF_A_SITE.filter((column) => !has(echo[column] ?? ''));
      return { ...emptied(sample[0] ?? {}, unasked), [name]: asked || `표본 ${index + 1}` };
    });
  },
});

/** The words for which the works of the sample were found. */
const SAMPLE_WORDS = 'monet';

/** A row with just the asked columns; those that it lacks are null. */
function onlyAsked(
  { list }: Question,
  template: Row,
  row: Row,
  always: readonly string[] = [],
): Row {
  if (list('fields').length === 0) return row;
  const all = { ...template, ...row };
  const asked = [...list('fields'), ...always];
  const dropped = Object.keys(all).filter((column) => !asked.includes(column));
  return { ...each(asked, (column) => all[column] ?? null), ...each(dropped, () => undefined) };
}

/** Heritage, books in libraries, the standard datasets of culture, and collections outside Korea. */
export const COLLECTIONS: AnswerRules = {
  // Heritage of the asked kind and region whose name contains the words.
  khs_heritage_search: {
    echo: namedAlike('ccbaKdcd ccbaCtcd ccbaAsno ccbaCncl'),
    codes: ['ccbaAsno', 'ccbaMnm1'],
    rows(question, [known = {}]) {
      const { text, has } = question;
      const asked = text('ccbaMnm1');
      const all = whole(5, 40, 'heritage', asked, text('ccbaKdcd'), text('ccbaCtcd'));
      const isOfSample = KEY.every((name) => ['', known[name]].includes(text(name)));
      return repeated(has('ccbaAsno') ? 1 : all, (index) => {
        const number = String(index + 1);
        const place = { sn: number, no: number, ...placeInHeritage(question, known) };
        if (index === 0 && isOfSample && mentions(known, asked)) return place;
        return {
          ...place,
          ...emptied(known, OF_A_HERITAGE),
          ccbaMnm1: `${asked || '표본 유산'} ${number}`,
          ...(has('ccbaAsno') ? {} : { ccbaAsno: `${number.padStart(6, '0')}0000000` }),
          longitude: '0',
          latitude: '0',
        };
      });
    },
  },
  // The heritage of the sample, or one of which only the key is known.
  khs_heritage_detail: {
    codes: ['ccbaAsno'],
    rows(question, [known = {}]) {
      if (isSampleKey(question)) return [known];
      return [
        {
          ...emptied(known, OF_A_HERITAGE),
          ...placeInHeritage(question, {}),
          ccbaMnm1: `표본 유산 ${question.text('ccbaAsno')}`,
        },
      ];
    },
    envelope: (question) => ({
      ...Object.fromEntries(KEY.map((name) => [`/result/${name}`, question.text(name)])),
      ...(isSampleKey(question) ? {} : { '/result/longitude': 0, '/result/latitude': 0 }),
    }),
  },
  // The most borrowed books of a period, which has begun.
  data4library_popular_books: {
    codes: ['dtl_region'],
    rows({ text, time, now }, sample) {
      const from = time('startDt') ?? startOfDay(now) - 30 * DAY;
      if (from > now) return undefined;
      const key = words('startDt endDt gender age region dtl_region kdc dtl_kdc addCode')
        .map(text)
        .join(':');
      const first = whole(700, 4_000, key);
      return repeated(POPULAR, (index) => ({
        no: index + 1,
        ranking: String(index + 1),
        loan_count: String(Math.round(first / (1 + index / 12))),
        ...(index < sample.length
          ? {}
          : {
              bookname: `표본 도서 ${index + 1}`,
              ...filled('authors publisher isbn13 bookImageURL', ''),
            }),
      }));
    },
    envelope: (_question, { rows }) => ({ '/response/resultNum': rows.length }),
  },
  std_festival_list: standard('fstvlNm', 'fstvlNm', namedAlike('fstvlStartDate fstvlEndDate')),
  std_museum_list: standard('fcltyNm', 'fcltyNm', {}),
  std_library_list: standard('lbrryNm', 'LBRRY_NM', {
    ctprvnNm: 'CTPRVN_NM',
    signguNm: 'SIGNGU_NM',
  }),
  // Works that a search finds, the best match first.
  artic_artwork_search: {
    codes: ['q'],
    rows(question, sample) {
      const asked = question.text('q');
      const isPublic = question.text('query[term][is_public_domain]') === 'true';
      const isKnown = asked.toLowerCase() === SAMPLE_WORDS;
      return repeated(whole(20, 90, 'artworks', asked), (index) => {
        const template = sample[index % sample.length] ?? {};
        const id = increaseId(template['id'], Math.floor(index / sample.length) * 10);
        const row = {
          id,
          api_link: String(template['api_link']).replace(/\d+$/, String(id)),
          _score: Number((120 / (1 + index / 8)).toFixed(5)),
          is_public_domain: isPublic || noise('public', asked, index) > 0.5,
          ...(isKnown && index < sample.length
            ? {}
            : {
                title: `${asked} ${index + 1}`,
                thumbnail: null,
                artist_title: 'Sample Artist',
                artist_display: 'Sample Artist',
                date_display: String(whole(1600, 1990, 'artwork', asked, index)),
              }),
        };
        return onlyAsked(question, template, row, ['_score']);
      });
    },
    envelope: (_question, { size, from, total, number }) => ({
      '/pagination/limit': size,
      '/pagination/offset': from,
      '/pagination/total_pages': Math.ceil(total / size),
      '/pagination/current_page': number,
    }),
  },
  // Works whose title, author, subject, year and language are those that were asked for.
  openlibrary_book_search: {
    codes: ['isbn'],
    rows(question, [known = {}]) {
      const { text, has } = question;
      const [asked, title] = [text('q'), text('title')];
      const [author, subject] = [text('author'), text('subject')];
      const wanted = (title || asked).toLowerCase();
      const year = question.number('first_publish_year');
      const isKnown =
        !has('subject', 'publisher', 'language') &&
        (wanted !== '' || author !== '') &&
        String(known['title']).toLowerCase().includes(wanted) &&
        String((known['author_name'] as string[] | undefined)?.[0])
          .toLowerCase()
          .includes(author.toLowerCase()) &&
        (year === undefined || year === known['first_publish_year']);
      const count = has('isbn') ? 1 : whole(15, 900, 'books', asked, title, author, subject);
      return repeated(count, (index) => {
        const made = {
          title: `${title || asked || subject || text('isbn') || 'Sample'} ${index + 1}`,
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
        return onlyAsked(question, known, {
          ...(isKnown && index === 0 ? {} : made),
          ...(has('language') ? { language: [text('language')] } : {}),
        });
      });
    },
    envelope: (_question, { from, total }) => ({ '/start': from, '/num_found': total }),
  },
};
