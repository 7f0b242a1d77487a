/** The sentences of `src/tools/rows`, by which people read why a list is the rows, in their language. */
const RULES = {
  atRoot: /^The list at the root\.$/,
  named: /^The list "(.*)", which is named like rows\.$/s,
  path: /^The list "(.*)", which is named like the path\.$/s,
  only: /^The only list, "(.*)"\.$/s,
  given: /^x-items$/,
} as const;

export type EvidenceRule = keyof typeof RULES | 'other';

/** The rule that an evidence names, and the name of its list. */
export function readEvidence(evidence: string): { rule: EvidenceRule; name: string } {
  for (const [rule, sentence] of Object.entries(RULES)) {
    const match = sentence.exec(evidence);
    if (match) return { rule: rule as EvidenceRule, name: match[1] ?? '' };
  }
  return { rule: 'other', name: '' };
}
