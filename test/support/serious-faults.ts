import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly target: readonly string[] }[];
  }[];
}

/** Waits while something that ends fades or moves, because its colours are mixed meanwhile. */
const AT_REST = `(async () => {
  const isEnding = ({ effect, playState }) =>
    playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime);
  const giveUpMs = performance.now() + 5000;
  while (performance.now() < giveUpMs && document.getAnimations().some(isEnding))
    await new Promise((resolve) => setTimeout(resolve, 20));
})()`;

/**
 * The serious and critical faults of accessibility that axe finds in a part of a page, each with where it is. The part is
 * a CSS selector; without rules, all are checked.
 */
export async function seriousFaults(
  page: Page,
  part = 'html',
  rules?: readonly string[],
): Promise<string[]> {
  await page.evaluate(axe.source);
  await page.evaluate(AT_REST);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`,
  )) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} at ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}
