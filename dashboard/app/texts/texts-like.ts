/**
 * Texts of another language with the keys of the English ones. Korean has no plural: `count_other` serves all numbers,
 * and `count_one` does not exist.
 */
export type TextsLike<Texts> = {
  readonly [Key in keyof Texts as Key extends `${string}_one`
    ? never
    : Key]: Texts[Key] extends string ? string : TextsLike<Texts[Key]>;
};
