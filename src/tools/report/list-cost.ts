import type { Tool } from '../model.ts';

/** Characters per token, roughly as the tokenisers of current models divide JSON and English. */
const ASCII_CHARACTERS_PER_TOKEN = 4;

/**
 * Estimates the tokens that a list of tools costs: for each tool, the JSON of its name, description and input schema;
 * four ASCII characters are one token, and every other character is one.
 */
export const listCost = (tools: readonly Tool[]): number =>
  tools.reduce((sum, tool) => sum + tokensOf(tool), 0);

function tokensOf({ name, description, inputSchema }: Tool): number {
  const json = JSON.stringify({ name, description, inputSchema });
  let others = 0;
  let ascii = 0;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit < 0x80) ascii++;
    // The second half of a surrogate pair belongs to the same character.
    else if ((unit & 0xfc00) !== 0xdc00) others++;
  }
  return Math.ceil(ascii / ASCII_CHARACTERS_PER_TOKEN) + others;
}
