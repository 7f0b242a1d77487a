/** The good key that a connection showed last, with its digest: hashing it anew would be a fortieth of a cached call. */
export class ShownKey {
  #text = '';
  #digest = '';

  /** The digest, if this is the same key once more. Takes the same time wherever the two differ. */
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
