/** The last valid key that a connection showed, with its digest: hashing it again would take 1/40 of a cached call. */
export class ShownKey {
  #text = '';
  #digest = '';

  /** The digest, if this is the same key again. Takes the same time wherever the two differ. */
  digestOf(keyText: string): string | undefined {
    const { length } = keyText;
    if (length === 0 || length !== this.#text.length) return undefined;
    let difference = 0;
    for (let i = 0; i < length; i++) difference |= keyText.charCodeAt(i) ^ this.#text.charCodeAt(i);
    return difference === 0 ? this.#digest : undefined;
  }

  remember(keyText: string, digest: string): void {
    this.#text = keyText;
    this.#digest = digest;
  }
}
