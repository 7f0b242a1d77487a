const RUN = /\p{Script=Hangul}+|[\p{L}--\p{Script=Hangul}]+|\p{N}+/gv;

/** The words of a text in lower case: runs of Hangul, of other letters, or of digits. English ones become singular. */
function wordsOf(text: string): string[] {
  return (text.normalize('NFKC').toLowerCase().match(RUN) ?? []).map(singular);
}

const isHangul = (word: string): boolean => /^\p{Script=Hangul}/u.test(word);

export const isLatin = (word: string): boolean => /^\p{Script=Latin}/u.test(word);

function singular(word: string): string {
  if (/[^v]ies$/.test(word) && word.length > 4) return `${word.slice(0, -3)}y`;
  return /..[^aisu]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Synonyms in English and Korean, one concept per row: a query with one of them finds the others too. */
const CONCEPTS: readonly string[] = [
  // Weather and surroundings
  'weather, nowcast, short term forecast, mid term forecast, 날씨, 일기예보, 단기예보, 중기예보',
  'forecast, outlook, 예보',
  'current, now, today, 오늘, 실황, 현재, 지금, 실시간',
  'temperature, 기온, 온도',
  'rain, precipitation, 강수, 강우, 비, 비가 오, 비 오',
  'tomorrow, 내일, 모레',
  'weekend, 주말',
  'next week, mid term, 다음주, 다음 주, 중기',
  'past weather, historical weather, weather history, 과거 날씨, 지난 날씨, 기상관측',
  'last year, last month, last week, yesterday, 작년, 지난해, 지난달, 지난주, 어제',
  'weather warning, weather alert, advisory, 특보, 경보, 주의보',
  'typhoon, hurricane, 태풍',
  'earthquake, quake, 지진',
  'uv, ultraviolet, sunburn, 자외선',
  'air quality, air pollution, fine dust, pm10, smog, 미세먼지, 대기질, 대기오염, 황사, 공기질, 공기 질, 공기 상태, 공기가, 공기 괜찮, 공기 좋, 공기 나쁘',
  'sunrise, sunset, 일출, 일몰, 해돋이, 출몰시각',
  'tide, high water, low tide, 조석, 물때, 밀물, 썰물, 만조, 간조',
  'water level, river level, flood, 수위, 홍수, 하천',
  'holiday, day off, 휴일, 연휴',
  // Economy
  'exchange rate, currency, foreign exchange, dollar, euro, yen, 환율, 외환, 달러, 유로, 엔화',
  'interest rate, base rate, 금리',
  'inflation, consumer price, cpi, 물가',
  'population, 인구',
  'gdp, growth, 국내총생산, 경제성장',
  'unemployment, 실업률',
  'statistics, 통계',
  'stock, share price, 주식, 주가',
  'stock index, kospi, kosdaq, 주가지수, 코스피, 코스닥',
  'etf, exchange traded fund, 상장지수펀드',
  'gold, 금값, 금시세, 금 시세',
  'fuel, petrol, gasoline, gas price, gas station, diesel, 휘발유, 경유, 기름값, 주유소',
  'apartment, real estate, housing, house price, 아파트, 부동산, 집값',
  'sale, trade price, 매매, 실거래가',
  'lease, rent, rental, jeonse, 전월세, 전세, 월세, 임대',
  'company, corporation, 기업, 회사, 법인',
  'financial statement, balance sheet, income statement, operating profit, 재무제표, 재무정보, 매출, 영업이익',
  'disclosure, regulatory filing, 공시',
  'business registration, tax office, 사업자',
  'tender, bid, procurement, 입찰, 조달, 나라장터',
  'pension, 연금',
  'employee, workplace, headcount, 사업장, 직원',
  'export, import, foreign trade, customs, 수출, 수입, 무역, 관세',
  // Culture and travel
  'tourism, travel, sightseeing, attraction, things to see, to see, 관광, 여행, 명소, 가볼만한',
  'nearby, near here, near me, around me, around here, 주변, 근처, 위치기반',
  'restaurant, food, 맛집, 음식점',
  'hotel, lodging, accommodation, 숙박, 숙소, 호텔',
  'region code, area code, 지역코드, 법정동, 행정구역',
  'festival, 축제, 행사',
  'performance, musical, concert, theater, theatre, 공연, 뮤지컬, 연극, 콘서트',
  'movie, film, cinema, 영화',
  'box office, 박스오피스, 흥행',
  'camping, campsite, glamping, 캠핑, 야영, 글램핑',
  'pet, dog, cat, 반려동물, 반려견, 애견, 강아지',
  'crowd, crowded, crowding, busy, 혼잡, 붐비, 집중률',
  'visitor, tourist, 방문자, 관광객, 방문객',
  'heritage, national treasure, cultural property, 문화재, 국가유산, 문화유산, 국보, 보물',
  'museum, art gallery, 박물관, 미술관',
  'artwork, painting, 미술품, 그림, 소장품',
  'library, 도서관',
  'book, novel, first published, 책, 소설, 인기도서, 대출도서',
  'popular, bestseller, most borrowed, 인기, 베스트셀러',
  'photo, photograph, picture, 사진',
  'audio guide, 오디오, 해설',
];

/** Each synonym as it appears among words, with the term of its concept. */
const SYNONYMS = CONCEPTS.flatMap((concept) => {
  const synonyms = concept.split(', ');
  return synonyms.map((synonym) => ({ pattern: patternOf(synonym), term: `=${synonyms[0]}` }));
});

/** The terms of the concepts in the words. They start with `=`, which no word does. */
function conceptsIn(words: readonly string[]): string[] {
  const text = ` ${words.join(' ')} `;
  return [
    ...new Set(SYNONYMS.filter(({ pattern }) => text.includes(pattern)).map(({ term }) => term)),
  ];
}

/** Korean joins words and adds particles without a space, so two or more syllables match anywhere in a word. */
function patternOf(synonym: string): string {
  const words = wordsOf(synonym).join(' ');
  return isHangul(words) && words.length > 1 ? words : ` ${words} `;
}

/** The terms by which a text is found: its words, the pieces of its Korean words, and its concepts. */
export function termsOf(text: string): string[] {
  const words = wordsOf(text);
  return [...words, ...words.flatMap(piecesOf), ...conceptsIn(words)];
}

/** A piece of a Korean word counts less than the word, because pairs of syllables can match by chance. */
const PIECE_WEIGHT = 0.4;

/** The terms of a query, with their weights. */
export function weighQuery(query: string): Map<string, number> {
  const all = wordsOf(query);
  const significant = all.filter((word) => !STOP_WORDS.has(word));
  // A query of stop words alone is searched as it is.
  const words = significant.length > 0 ? significant : all;
  const weights = new Map<string, number>();
  for (const word of words) {
    for (const piece of piecesOf(word)) weights.set(piece, PIECE_WEIGHT);
  }
  for (const term of [...words, ...conceptsIn(all)]) weights.set(term, 1);
  return weights;
}

/** The pairs of syllables of a Korean word: 미세먼지 has 미세, 세먼 and 먼지. */
function piecesOf(word: string): string[] {
  if (word.length < 3 || !isHangul(word)) return [];
  return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
}

/** Words of questions and requests that do not describe a tool. */
const STOP_WORDS = new Set(
  wordsOf(
    `a about all an and any are at be been by can could do does find for from get give has have how i in is it list many much
    look me my near of on or please search show tell that the there this to tool up was what when where which who
    will with would you 관련 도구 무엇 뭐 얼마 알려줘 어디 어때 언제 조회 찾아줘`,
  ),
);
