import { type Path, parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape } from '../../tools/model.ts';
import { createExplainer, type Explainer } from './explain-refusal.ts';
import type { PayloadDomain } from './payload-domain.ts';
import { createJudge, type Judge } from './verdict.ts';

/** A payload shape whose pointers are parsed. */
export interface PreparedShape {
  readonly items: Path | null;
  /** First name on the way to the rows or the result code. */
  readonly first: string | undefined;
  readonly judge: Judge;
  readonly explain: Explainer;
}

function prepareShape(shape: PayloadShape, domain: PayloadDomain): PreparedShape {
  const pointer = shape.items || shape.success?.code[0] || '';
  return {
    items: shape.items === null ? null : parsePointer(shape.items),
    first: parsePointer(pointer)[0],
    judge: createJudge(shape, domain),
    explain: createExplainer(shape, domain),
  };
}

/** Prepares each shape once. */
export function createPrepareShape(domain: PayloadDomain): (shape: PayloadShape) => PreparedShape {
  const prepared = new WeakMap<PayloadShape, PreparedShape>();
  return (shape) => {
    const known = prepared.get(shape);
    if (known) return known;
    const fresh = prepareShape(shape, domain);
    prepared.set(shape, fresh);
    return fresh;
  };
}
