/** Work for a caller that stops when the caller disconnects or cancels. */
export interface Watcher {
  onCancelled(): void;
}

/**
 * Cancels a call when its caller disconnects or asks for it. It does what an AbortController does at a twentieth of the
 * cost.
 */
export class Cancellation {
  #isCancelled = false;
  #watchers: Watcher[] = [];

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Every watcher must be removed with `unwatch`. A watcher added after the cancellation is notified at once. */
  watch(watcher: Watcher): void {
    if (this.#isCancelled) watcher.onCancelled();
    else this.#watchers.push(watcher);
  }

  unwatch(watcher: Watcher): void {
    const index = this.#watchers.indexOf(watcher);
    if (index >= 0) this.#watchers.splice(index, 1);
  }

  /** Notifies every watcher, once. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const watcher of watchers) watcher.onCancelled();
  }
}
