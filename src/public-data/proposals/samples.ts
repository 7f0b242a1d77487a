import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { DescribedOperation } from './described-operation.ts';

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
