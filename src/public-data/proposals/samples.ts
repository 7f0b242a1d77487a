import type { Cause } from '../../platform/kernel/cause.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { DescribedOperation, DescribedParameter } from './described-operation.ts';

export interface Sample {
  readonly name: string;
  readonly value: string;
  readonly pointer: string;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Placeholders for a missing value. */
const NOTHING = new Set(['', '-', '인증키', 'null']);
const MAX_SAMPLE = 200;

/** The values that the page of a dataset shows for an operation (`swaggerOprtinVOs`), for a call that tests it. */
export function samplesOf(root: JsonObject, { path, value }: DescribedOperation): Sample[] {
  const operationId = ownText(value, 'operationId');
  const lastName = path.split('/').at(-1);
  const shown = listOf(own(root, 'swaggerOprtinVOs'));
  const index = shown.findIndex((each) => {
    if (!isObject(each)) return false;
    const names = ['operationId', 'gwSvcNm'].map((key) => ownText(each, key));
    return names.some((name) => name !== undefined && (name === operationId || name === lastName));
  });
  const found = shown[index];
  if (!isObject(found)) return [];
  return listOf(own(found, 'reqList')).flatMap((entry, at) => {
    if (!isObject(entry)) return [];
    const name = ownText(entry, 'paramtrNm')?.trim();
    const sample = String(own(entry, 'paramtrBassValue') ?? '').trim();
    if (!name || NOTHING.has(sample) || sample.length > MAX_SAMPLE) return [];
    return [{ name, value: sample, pointer: pointerTo(`/swaggerOprtinVOs/${index}/reqList`, at) }];
  });
}

/** What a result code means: a good response, one without data, or a refusal. */
export type Meaning = 'ok' | Cause;

const KEY =
  /인증\s*(키|정보)|서비스\s*키|(?<![가-힣])키(가|는|를)?(?![가-힣])|service\s*key|(api|auth)\s*key|\bkey\b/i;

/**
 * What the texts of result codes say, in the order in which they are tried: a key that is missing is not a parameter that is
 * missing, and "no more data" is not "no such service".
 */
const TEXTS: readonly (readonly [Meaning, ...RegExp[]])[] = [
  ['rate', /초당|초\s*당|per\s*second/i],
  ['arguments', /(입력|범위|기간|조회).{0,8}초과/i],
  ['quota', /(트래픽|호출|요청|횟수|한도|제한).*초과|exceed|limited\s*number|quota/i],
  [
    'operator_key',
    /(인증|auth(entication)?)\s*(이|에)?\s*(오류|에러|실패|error|fail)|인증되지|[미비]인증|unauthori[sz]ed/i,
  ],
  [
    'operator_key',
    KEY,
    /없|누락|미입력|불일치|확인|오류|에러|실패|제한|empty|missing|invalid|null|error|fail|mismatch|wrong|등록되지|미등록|유효|올바르지|않|잘못|만료|중지|차단|정지|unregistered|not\s+registered|expired|disable|deadline/i,
  ],
  ['operator_key', /(기한|기간|활용).*만료|deadline.*expired/i],
  [
    'operator_key',
    /(\bip\b|아이피).*(등록|않|unregistered)|(등록|unregistered).*(\bip\b|아이피)|서명되지|unsigned/i,
  ],
  ['not_approved', /접근.*(거부|거절|제한)|access\s*denied|권한|승인되지|활용\s*신청/i],
  [
    'no_data',
    /(데이터|자료|결과|정보|내역|조회).{0,12}(없|존재하지)|no\s*(more\s*)?data|data\s*not\s*found|not\s*found\s*data|nodata/i,
  ],
  [
    'arguments',
    /파라미터|파라메터|매개\s*변수|요청\s*변수|필수|입력|parameter|argument|형식|범위|날짜/i,
  ],
  [
    'upstream',
    /서비스.*(없|폐기|종료|중단|등록되지)|(폐기|종료|중단|등록되지).*서비스|no\s*openapi\s*service/i,
  ],
  [
    'upstream',
    /시스템|내부|서버|데이터\s*베이스|\bdb\b|database|http|time\s*-?\s*out|시간\s*초과|연결|application|어플리케이션|애플리케이션|system|server|service\s*error|기타|unknown|알\s*수\s*없/i,
  ],
];

const SUCCESS = /^\s*(정상|성공|ok\b|success|normal)/i;

/** What a text of a description says about a result code; undefined unless it is clear. */
export function meaningOf(text: string): Meaning | undefined {
  const words = text.replaceAll('_', ' ');
  if (SUCCESS.test(words)) return 'ok';
  return TEXTS.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(words)))?.[0];
}

/** The first two digits of a standard code, including provinces before a reorganisation. */
const PROVINCE = '(1[12]|2[6-9]|3[016]|4[1-8]|5[0-2])';

interface Rule {
  readonly kind: 'district' | 'legal_dong' | 'asos_station';
  /** What the name, or what the description says of it, must have. */
  readonly name: RegExp;
  /** What a value must look like, where the name alone leaves the code system open. */
  readonly value?: RegExp;
}

/**
 * Codes of places that institutions share. Districts (`LAWD_CD` of the Ministry of Land) and legal dongs are standard codes of
 * the Ministry of the Interior and Safety; other institutions number districts themselves, so only a value of five or ten
 * digits that begins with the code of a province is evidence. Stations belong to the Korea Meteorological Administration.
 */
const RULES: readonly Rule[] = [
  { kind: 'district', name: /^LAWD_CD\b/i },
  {
    kind: 'district',
    name: /(시군구|시\.군\.구|지역)\s*코드/,
    value: RegExp(`^${PROVINCE}\\d{3}$`),
  },
  {
    kind: 'legal_dong',
    name: /법정동\s*코드/,
    value: RegExp(`^${PROVINCE}\\d{8}$`),
  },
  { kind: 'asos_station', name: /^stn_?ids?\b.*(종관|ASOS)/i },
];

/** The parameters of an operation that take the code of a place, so that calls may name it instead. */
export function placeCodesOf(
  root: JsonObject,
  operation: DescribedOperation,
): readonly { readonly parameter: DescribedParameter; readonly kind: Rule['kind'] }[] {
  const samples = new Map(samplesOf(root, operation).map(({ name, value }) => [name, value]));
  return operation.parameters.flatMap((parameter) => {
    const name = parameter.name.trim();
    const said = `${name} ${parameter.text}`;
    const sample = samples.get(name) ?? /\b\d{5}(\d{5})?\b/.exec(parameter.text)?.[0] ?? '';
    const rule = RULES.find((each) => each.name.test(said) && (each.value?.test(sample) ?? true));
    return rule ? [{ parameter, kind: rule.kind }] : [];
  });
}
