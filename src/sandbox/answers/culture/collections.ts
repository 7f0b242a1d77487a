import { ownText } from '../../../platform/kernel/plain-json.ts';
import { DAY, startOfDay } from '../../../public-data/korean-time.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { listed, NO_ROWS, type Row, repeated } from '../rows.ts';
import { emptied, foundRow, mentions } from './found-rows.ts';

const REGIONS: Readonly<Record<string, string>> = {
  11: '서울',
  21: '부산',
  22: '대구',
  23: '인천',
  24: '광주',
  25: '대전',
  26: '울산',
  45: '세종',
  31: '경기',
  32: '강원',
  33: '충북',
  34: '충남',
  35: '전북',
  36: '전남',
  37: '경북',
  38: '경남',
  50: '제주',
  ZZ: '전국',
};

const KINDS: Readonly<Record<string, string>> = { 11: '국보', 12: '보물', 13: '사적' };

const OF_A_HERITAGE = [
  'ccbaMnm2',
  'ccsiName',
  'ccbaAdmin',
  'ccbaLcad',
  'imageUrl',
  'content',
  'gcodeName',
  'bcodeName',
  'mcodeName',
  'scodeName',
];
const KEY = { ccbaKdcd: 'ccbaKdcd', ccbaCtcd: 'ccbaCtcd', ccbaAsno: 'ccbaAsno' };

const isOfSample = (question: Question, row: Row): boolean =>
  Object.keys(KEY).every((name) => question.text(name) === '' || question.text(name) === row[name]);

const nameOf = (
  names: Readonly<Record<string, string>>,
  code: string,
  otherwise: unknown,
): unknown => (code === '' ? otherwise : (ownText(names, code) ?? code));

/** Heritage of the asked kind and region whose name contains the words. */
const heritage: AnswerRule = {
  echo: { ...KEY, ccbaCncl: 'ccbaCncl' },
  rows(question, sample) {
    const [known = {}] = sample;
    const [words, number] = [question.text('ccbaMnm1'), question.text('ccbaAsno')];
    if (isUnknownCode(number) || isUnknownCode(words)) return NO_ROWS;
    const count =
      number === ''
        ? whole(5, 40, 'heritage', words, question.text('ccbaKdcd'), question.text('ccbaCtcd'))
        : 1;
    return repeated(count, (index) => {
      const isKnown = index === 0 && isOfSample(question, known) && mentions(known, words);
      return {
        sn: String(index + 1),
        no: String(index + 1),
        ccmaName: nameOf(KINDS, question.text('ccbaKdcd'), known['ccmaName']),
        ccbaCtcdNm: nameOf(REGIONS, question.text('ccbaCtcd'), known['ccbaCtcdNm']),
        ...(isKnown
          ? {}
          : {
              ...emptied(known, OF_A_HERITAGE),
              ccbaMnm1: `${words || '표본 유산'} ${index + 1}`,
              ...(number === ''
                ? { ccbaAsno: `${String(index + 1).padStart(6, '0')}0000000` }
                : {}),
              longitude: '0',
              latitude: '0',
            }),
      };
    });
  },
};

/** The heritage of the sample, or one of which only the key is known. */
const heritageDetail: AnswerRule = {
  rows(question, [known = {}]) {
    if (isUnknownCode(question.text('ccbaAsno'))) return NO_ROWS;
    if (isSampleKey(question)) return listed([known]);
    return listed([
      {
        ...emptied(known, OF_A_HERITAGE),
        ccmaName: nameOf(KINDS, question.text('ccbaKdcd'), ''),
        ccbaCtcdNm: nameOf(REGIONS, question.text('ccbaCtcd'), ''),
        ccbaMnm1: `표본 유산 ${question.text('ccbaAsno')}`,
      },
    ]);
  },
  envelope: (question) => ({
    ...Object.fromEntries(Object.keys(KEY).map((name) => [`/result/${name}`, question.text(name)])),
    ...(isSampleKey(question) ? {} : { '/result/longitude': 0, '/result/latitude': 0 }),
  }),
};

const SAMPLE_KEY: Readonly<Record<string, string>> = {
  ccbaKdcd: '11',
  ccbaAsno: '0000010000000',
  ccbaCtcd: '11',
};

const isSampleKey = (question: Question): boolean =>
  Object.entries(SAMPLE_KEY).every(([name, value]) => question.text(name) === value);

/** Titles in the list of popular books. */
const POPULAR = 200;

/** The most borrowed books of a period, which has begun. */
const popularBooks: AnswerRule = {
  rows(question, sample) {
    const from = question.time('startDt') ?? startOfDay(question.now) - 30 * DAY;
    if (from > question.now || isUnknownCode(question.text('dtl_region'))) return NO_ROWS;
    const key = [
      'startDt',
      'endDt',
      'gender',
      'age',
      'region',
      'dtl_region',
      'kdc',
      'dtl_kdc',
      'addCode',
    ]
      .map(question.text)
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
            authors: '',
            publisher: '',
            isbn13: '',
            bookImageURL: '',
          }),
    }));
  },
  envelope: (_question, page) => ({ '/response/resultNum': page.rows.length }),
};

/** A rule for the places of a standard dataset with the asked name. */
const standard = (
  name: string,
  parameter: string,
  own: readonly string[],
  echo: Readonly<Record<string, string>>,
): AnswerRule => ({
  echo,
  rows(question, sample) {
    const words = question.text(parameter);
    const isFiltered = [parameter, ...Object.values(echo)].some(
      (each) => question.text(each) !== '',
    );
    if (isUnknownCode(words)) return NO_ROWS;
    const found = { parameter, name, own, called: '표본' };
    const isKnown = Object.entries(echo).every(
      ([column, each]) => question.text(each) === '' || question.text(each) === sample[0]?.[column],
    );
    const count = words === '' ? (isFiltered ? 60 : 1_200) : 1;
    return repeated(count, (index) => {
      const change = foundRow(question, sample, index, found);
      if (isKnown)
        return words === '' || Object.keys(change).length === 0
          ? change
          : { ...change, [name]: words };
      const unasked = own.filter((column) => question.text(echo[column] ?? '') === '');
      return { ...emptied(sample[0] ?? {}, unasked), [name]: words || `표본 ${index + 1}` };
    });
  },
});

const OF_A_SITE = [
  'rdnmadr',
  'lnmadr',
  'latitude',
  'longitude',
  'homepageUrl',
  'phoneNumber',
  'operInstitutionNm',
  'insttNm',
  'ctprvnNm',
  'signguNm',
  'opar',
  'mnnstNm',
  'auspcInsttNm',
  'suprtInsttNm',
  'fstvlCo',
  'relateInfo',
];

/** Heritage, books in libraries, and the standard datasets of culture. */
export const COLLECTIONS: AnswerRules = {
  khs_heritage_search: heritage,
  khs_heritage_detail: heritageDetail,
  data4library_popular_books: popularBooks,
  std_festival_list: standard('fstvlNm', 'fstvlNm', OF_A_SITE, {
    fstvlStartDate: 'fstvlStartDate',
    fstvlEndDate: 'fstvlEndDate',
  }),
  std_museum_list: standard('fcltyNm', 'fcltyNm', OF_A_SITE, {}),
  std_library_list: standard('lbrryNm', 'LBRRY_NM', OF_A_SITE, {
    ctprvnNm: 'CTPRVN_NM',
    signguNm: 'SIGNGU_NM',
  }),
};
