import { describeTools, type ToolCase } from './catalogue-case.ts';

const TOUR = { rows: '/response/body/items/item', keyRefusal: 'portal' } as const;
const STANDARD = { rows: '/response/body/items', keyRefusal: 'portal' } as const;

/** A column of the first row, and its value in the sample. */
const first = (rows: string, column: string, value: string): ToolCase['sees'] => [
  `${rows}/0/${column}`,
  value,
];

describeTools([
  {
    tool: 'tour_eng_search_keyword',
    args: { keyword: 'Gyeongbokgung' },
    sees: first(TOUR.rows, 'contentid', '264337'),
    ...TOUR,
  },
  {
    tool: 'gocamping_search',
    args: { keyword: '캠핑' },
    sees: first(TOUR.rows, 'induty', '자동차야영장'),
    ...TOUR,
  },
  {
    tool: 'tour_photo_search',
    args: { keyword: '경복궁' },
    sees: first(TOUR.rows, 'galPhotographyMonth', '201004'),
    ...TOUR,
  },
  {
    tool: 'odii_story_search',
    args: { keyword: '경복궁' },
    sees: first(TOUR.rows, 'playTime', '172'),
    ...TOUR,
  },
  {
    tool: 'tour_visitors_by_province',
    args: {},
    sees: first(TOUR.rows, 'areaNm', '서울특별시'),
    ...TOUR,
  },
  {
    tool: 'tour_pet_places',
    args: {},
    sees: first(TOUR.rows, 'title', '가까운약국'),
    ...TOUR,
  },
  {
    tool: 'tour_crowding_forecast',
    args: { areaCd: '51', signguCd: '51130' },
    sees: first(TOUR.rows, 'signguNm', '원주시'),
    ...TOUR,
  },
  {
    tool: 'std_festival_list',
    args: {},
    sees: first(STANDARD.rows, 'fstvlNm', '보령머드축제'),
    ...STANDARD,
  },
  {
    tool: 'std_museum_list',
    args: {},
    sees: first(STANDARD.rows, 'weekdayOperColseHhmm', '19:00'),
    ...STANDARD,
  },
  {
    tool: 'std_library_list',
    args: {},
    sees: first(STANDARD.rows, 'lbrryNm', '인후도서관'),
    ...STANDARD,
  },
]);
