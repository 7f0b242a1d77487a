import { foldText } from './fold-text.ts';

/**
 * What a property's name says about its value: that all of it is secret or personal, that it is a company's number or
 * another one that may look like a person's, or nothing.
 */
export type NameMeaning = 'secret' | 'personal' | 'company' | 'code' | 'plain';

/** Names are compared in lower case, folded, and without separators. */
const SECRET = new RegExp(
  [
    'password|passwd|passphrase|passcode|pwd$|secret(?!ary|ariat)|authorization|^auth$|credential',
    '^(?:user|usr|login|member|mem|admin|db|old|new|my|current)?pw\\d?$',
    '(?:service|api|access|auth|private|secret|encryption|signing|certification)key$',
    // Tokens that only mark a place in a list are no secrets.
    '(?<!page|next|continuation|cursor|sync)token$|^jwt$|cookie$|sessionid$',
    '비밀번호|비번$|패스워드|암호$|인증키$|서비스키$|비밀키$|접근키$|인증번호$|토큰$',
  ].join('|'),
);

/** Only names of which nothing else is meant: a tool's own are told by its definition. */
const PERSONAL = new RegExp(
  `^(?:${[
    '(?:user|member|customer|my|home|contact)?(?:phone|mobile|cell|cellphone|mobilephone|handphone|tel|telephone)(?:no|num|number)',
    'phone|cellphone|mobilephone|handphone|telno|hpno',
    '(?:user|member|customer|my|contact)?e?mail(?:addr|address)|(?:user|member|my|contact)?email',
    '(?:credit|debit)?card(?:no|num|number)',
    'rrn|jumin(?:no|num|number|deungrok(?:no|number)?)?|resident(?:registration)?(?:no|num|number)|ssn',
    'passport(?:no|num|number)|driver?s?licen[cs]e(?:no|num|number)?',
    '.*(?:주민번호|주민등록번호|외국인등록번호|전화번호|휴대폰|휴대폰번호|휴대전화|휴대전화번호|핸드폰|핸드폰번호|연락처)',
    '.*(?:카드번호|이메일|이메일주소|전자우편|메일주소|여권번호|운전면허번호|면허번호)',
  ].join('|')})$`,
);

const COMPANY =
  /^(?:crno|corpno|corpregno|corpregistno|corpregistrationno|jurirno|법인등록번호|법인번호)$/;

/** Business numbers, books, goods, moments and coordinates. */
const CODE = new RegExp(
  `^(?:${[
    'b?no|bizr?no|brno|bzowrrgstno|사업자(?:등록)?번호|.*asno',
    'isbn(?:1[03])?|ean(?:13)?|gtin|barcode|바코드|timestamp|ts|epoch',
    '(?:tm|map|pos|center)?[xy]|lat|latitude|lon|lng|longitude',
  ].join('|')})$`,
);

/** What a property of this name holds. */
export function meaningOf(name: string): NameMeaning {
  const known = MEANINGS.get(name);
  if (known) return known;
  const meaning = workOut(name);
  if (name.length <= MAX_KNOWN_LENGTH) {
    if (MEANINGS.size >= MAX_KNOWN) MEANINGS.clear();
    MEANINGS.set(name, meaning);
  }
  return meaning;
}

/** Names come from callers: those of all tools fit in many times over, others must not fill the memory. */
const MAX_KNOWN = 2000;
const MAX_KNOWN_LENGTH = 64;
const MEANINGS = new Map<string, NameMeaning>();

function workOut(name: string): NameMeaning {
  const folded = foldText(name.normalize('NFC'))
    .replace(/[-_.\s[\]]/g, '')
    .toLowerCase();
  if (SECRET.test(folded)) return 'secret';
  if (PERSONAL.test(folded)) return 'personal';
  if (COMPANY.test(folded)) return 'company';
  return CODE.test(folded) ? 'code' : 'plain';
}
