import type { Tool } from '../model.ts';

/** The kind of codes of each argument that has one (`x-code-kind`). */
export const codeKindsOf = ({
  parameters,
}: Pick<Tool, 'parameters'>): ReadonlyMap<string, string> =>
  new Map(
    parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.codeKind !== undefined
        ? [[source.property, source.codeKind] as const]
        : [],
    ),
  );
