/** A number and its noun, in the plural unless the number is 1. */
export const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;
