import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { DescribedOperation, DescribedParameter } from './described-operation.ts';
import { samplesOf } from './samples.ts';

/** The first two digits of a standard code, those of provinces before a reorganisation included. */
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
 * digits that begins with the code of a province is evidence. Stations are those of the Korea Meteorological Administration.
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
