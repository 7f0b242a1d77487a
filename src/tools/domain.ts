import type { ArgumentAlternative, ComputeDefault } from './model.ts';
import type { ProposalFamily } from './proposal.ts';

/** What a domain of APIs adds to the compiler; its descriptions say `x-public-data: true`. */
export interface ToolDomain {
  /** The computed defaults, by the names that `x-default` accepts. */
  readonly computedDefaults: ReadonlyMap<string, ComputeDefault>;
  /** Offered, unless its extension says otherwise, by every tool of the domain that it fits. */
  readonly alternative: ArgumentAlternative;
  /** The secret that every description of the domain needs, and no other may use. */
  readonly secretName: string;
  /** Descriptions whose forms the gateway knows. The first family that recognises one proposes for it. */
  readonly families: readonly ProposalFamily[];
}
