import { DAY, HOUR } from '../../../public-data/korean-time.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { noise, whole } from '../noise.ts';
import { isUnknownCode, type Question } from '../question.ts';
import { NO_ROWS, type Row, repeated } from '../rows.ts';
import { printTime } from '../times.ts';

/** Notices a day: of all, and of those that a question narrows down. */
const PER_DAY = { all: 220, narrowed: 1.5 } as const;

const NARROWING = [
  'bidNtceNm',
  'ntceInsttNm',
  'ntceInsttCd',
  'dminsttNm',
  'dminsttCd',
  'refNo',
  'prtcptLmtRgnCd',
  'prtcptLmtRgnNm',
  'indstrytyCd',
  'indstrytyNm',
  'presmptPrceBgn',
  'presmptPrceEnd',
  'dtilPrdctClsfcNo',
  'prcrmntReqNo',
  'intrntnlDivCd',
];

const SECONDS = 'YYYY-MM-DD HH:mm:ss';

/** An estimated price within the asked range, in won. */
function priceOf(question: Question, index: number): number {
  const low = question.number('presmptPrceBgn') ?? 20_000_000;
  const high = question.number('presmptPrceEnd') ?? Math.max(low * 10, 500_000_000);
  return whole(low, high, 'tender', index, low);
}

/** The title of a notice of the sample if it contains the asked words. */
function titleOf(question: Question, sample: readonly Row[], index: number): string {
  const words = question.text('bidNtceNm');
  const title = String(sample[index]?.['bidNtceNm'] ?? '');
  return title.includes(words) && title !== '' ? title : `${words || '표본 용역'} ${index + 1}`;
}

/** Notices of the asked period, spread over it, the latest first. */
const tenders: AnswerRule = {
  contains: { ntceInsttNm: 'ntceInsttNm', dminsttNm: 'dminsttNm' },
  rows(question, sample) {
    const [from, asked] = [question.time('inqryBgnDt'), question.time('inqryEndDt')];
    if (from === undefined || asked === undefined) return NO_ROWS;
    const to = Math.min(asked, question.now);
    const isNarrowed = NARROWING.some((name) => question.text(name) !== '');
    const unknown = NARROWING.some((name) => isUnknownCode(question.text(name)));
    if (to < from || unknown) return NO_ROWS;
    const days = (to - from) / DAY;
    const count = Math.max(1, Math.round(days * (isNarrowed ? PER_DAY.narrowed : PER_DAY.all)));
    const excludesClosed = question.text('bidClseExcpYn') === 'Y';
    // By the time of the notice, or by that of the opening.
    const byOpening = question.text('inqryDiv') === '2';
    return repeated(count, (index) => {
      const time =
        Math.floor((to - ((index + noise('tender', index)) / count) * (to - from)) / 1000) * 1000;
      const open = 12 * DAY;
      const posted = byOpening ? time - open : time;
      const opening = byOpening
        ? time
        : Math.max(posted + open, excludesClosed ? question.now + DAY : 0);
      const price = priceOf(question, index);
      const number = whole(10_000_000, 99_999_999, 'notice', posted, index);
      return {
        bidNtceNm: titleOf(question, sample, index),
        bidNtceNo: `R${printTime(posted, 'YY')}BK${number}`,
        bidNtceDt: printTime(posted, SECONDS),
        rgstDt: printTime(posted, SECONDS),
        bidClseDt: printTime(opening - HOUR, SECONDS),
        opengDt: printTime(opening, SECONDS),
        presmptPrce: String(price),
        asignBdgtAmt: String(Math.round(price * 1.1)),
        ntceInsttOfclNm: '',
        bidNtceDtlUrl: '',
      };
    });
  },
};

/** Workplaces whose name contains the asked words; those of the sample first, if they do and lie in the asked region. */
const workplaces: AnswerRule = {
  echo: {
    ldongAddrMgplDgCd: 'ldongAddrMgplDgCd',
    ldongAddrMgplSgguCd: 'ldongAddrMgplSgguCd',
    ldongAddrMgplSgguEmdCd: 'ldongAddrMgplSgguEmdCd',
  },
  ids: ['seq'],
  rows(question, [known = {}]) {
    const words = question.text('wkplNm');
    if (isUnknownCode(words)) return NO_ROWS;
    const start = question.text('bzowrRgstNo');
    const isElsewhere =
      question.text('ldongAddrMgplDgCd') !== '' &&
      question.text('ldongAddrMgplDgCd') !== known['ldongAddrMgplDgCd'];
    const month = printTime(question.now - 45 * DAY, 'YYYYMM');
    return repeated(whole(3, 60, 'workplaces', words, start), (index) => ({
      dataCrtYm: month,
      bzowrRgstNo: `${start || whole(100_000, 899_999, words, index)}****`,
      ...(index > 0 || !String(known['wkplNm']).includes(words)
        ? {
            wkplNm: `${words} ${index + 1}`,
            wkplRoadNmDtlAddr: '',
            seq: whole(8_000_000, 8_900_000, words) + index,
          }
        : {}),
      ...(isElsewhere ? { wkplRoadNmDtlAddr: '' } : {}),
    }));
  },
};

/** The workplace with the asked number. Only that of the sample has a name that a search finds. */
const workplaceDetail: AnswerRule = {
  rows(question, [known = {}]) {
    const seq = question.text('seq');
    if (isUnknownCode(seq)) return NO_ROWS;
    if (seq === String(SAMPLE_WORKPLACE)) return repeated(1, () => known);
    return repeated(1, () => ({
      wkplNm: `표본 사업장 ${seq}`,
      bzowrRgstNo: `${whole(100_000, 899_999, seq)}****`,
      jnngpCnt: whole(3, 400, seq),
      crrmmNtcAmt: String(whole(3, 400, seq) * 220_000),
      vldtVlKrnNm: '',
    }));
  },
};

const SAMPLE_WORKPLACE = 7_101_020;

/** Public tenders, and workplaces of the pension service. */
export const TENDERS: AnswerRules = {
  pps_search_service_bids: tenders,
  nps_search_workplaces: workplaces,
  nps_workplace_detail: workplaceDetail,
};
