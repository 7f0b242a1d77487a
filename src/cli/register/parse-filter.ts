import { InvalidArgumentError } from 'commander';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';

const MEMBERS = ['tag', 'method', 'path', 'operationId'] as const;

type Member = (typeof MEMBERS)[number];

/** A comma separates members only if the name of one follows: paths and tags may contain commas. */
const SEPARATOR = new RegExp(`,(?=(?:${MEMBERS.join('|')})=)`);

/** Adds a filter such as `tag=pets` or `method=get,path=/pets/*` to those before it. Throws InvalidArgumentError. */
export function addFilter(
  text: string,
  filters: readonly OperationFilter[] = [],
): readonly OperationFilter[] {
  return [...filters, parseFilter(text)];
}

function parseFilter(text: string): OperationFilter {
  const filter: Partial<Record<Member, string>> = {};
  for (const part of text.split(SEPARATOR)) {
    const at = part.indexOf('=');
    const member = MEMBERS.find((name) => name === part.slice(0, at));
    const value = part.slice(at + 1);
    if (member === undefined || value === '' || filter[member] !== undefined) throw invalid();
    filter[member] = value;
  }
  return filter;
}

const invalid = (): InvalidArgumentError =>
  new InvalidArgumentError(
    `Give one or more of ${MEMBERS.join(', ')}, each once, such as method=get,path=/pets/*.`,
  );
