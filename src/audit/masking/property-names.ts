/**
 * What the name of a property means for its value: secret or personal as a whole, a company's number, another code that
 * may look like a personal number, or nothing.
 */
export type NameMeaning = 'secret' | 'personal' | 'company' | 'code' | 'plain';

/** Names are compared in lower case and without separators. */
const SECRET = new RegExp(
  [
    'password|passwd|passphrase|passcode|pwd$|secret(?!ary|ariat)|authorization|^auth$|credential',
    '^(?:user|usr|login|member|mem|admin|db|old|new|my|current)?pw\\d?$',
    '(?:service|api|access|auth|private|secret|encryption|signing|certification)key$',
    // Tokens that only mark a position in a list are not secrets.
    '(?<!page|next|continuation|cursor|sync)token$|^jwt$|cookie$|sessionid$',
    '비밀번호|비번$|패스워드|암호$|인증키$|서비스키$|비밀키$|접근키$|인증번호$|토큰$',
  ].join('|'),
);

/** Only unambiguous names. The definition of a tool declares further ones. */
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

/** Business numbers, books, goods, timestamps and coordinates. */
const CODE = new RegExp(
  `^(?:${[
    'b?no|bizr?no|brno|bzowrrgstno|사업자(?:등록)?번호|.*asno',
    'isbn(?:1[03])?|ean(?:13)?|gtin|barcode|바코드|timestamp|ts|epoch',
    '(?:tm|map|pos|center)?[xy]|lat|latitude|lon|lng|longitude',
  ].join('|')})$`,
);

/** The meaning of a property's name. */
export function meaningOf(name: string): NameMeaning {
  const cached = MEANINGS.get(name);
  if (cached) return cached;
  const meaning = classify(name);
  if (name.length <= MAX_CACHED_LENGTH) {
    if (MEANINGS.size >= MAX_CACHED) MEANINGS.clear();
    MEANINGS.set(name, meaning);
  }
  return meaning;
}

/** Names come from callers and must not fill the memory. The names of all tools fit many times over. */
const MAX_CACHED = 2000;
const MAX_CACHED_LENGTH = 64;
const MEANINGS = new Map<string, NameMeaning>();

function classify(name: string): NameMeaning {
  const folded = name
    .normalize('NFC')
    .replace(/[-_.\s[\]]/g, '')
    .toLowerCase();
  if (SECRET.test(folded)) return 'secret';
  if (PERSONAL.test(folded)) return 'personal';
  if (COMPANY.test(folded)) return 'company';
  return CODE.test(folded) ? 'code' : 'plain';
}
