export interface VersionFollowerDeps<Change> {
  /** The current version. Increases with every change, in whichever process. */
  readonly readVersion: () => Promise<number>;
  readonly changesSince: (version: number) => Promise<readonly Change[]>;
  /** Called with what changed since the last refresh. Must not throw. */
  readonly onChanged: (changes: readonly Change[]) => void;
  /** Called when the version has decreased: the database was restored from a backup, and nothing known can be relied on. */
  readonly onReset: () => void;
}

/** Follows the changes of what is stored, whichever process makes them. */
export interface VersionFollower {
  /** The version up to which changes have been read; undefined before the first read. */
  readonly version: number | undefined;
  /** Reads the version to start from. */
  start(): Promise<number>;
  /**
   * Reads new changes. May run several times at once. A change is reported twice if two refreshes read it, or if it is
   * made while one reads. Rejects as the reads do.
   */
  refresh(): Promise<void>;
}

export function createVersionFollower<Change>(deps: VersionFollowerDeps<Change>): VersionFollower {
  const { readVersion, changesSince, onChanged, onReset } = deps;
  let version: number | undefined;
  return {
    get version() {
      return version;
    },
    async start() {
      version = await readVersion();
      return version;
    },
    async refresh() {
      // Noted first: another refresh may read a higher version while this one waits for an older one.
      const before = version;
      const current = await readVersion();
      if (before === undefined) {
        version ??= current;
        return;
      }
      if (current === before) return;
      const isReset = current < before;
      if (isReset) onReset();
      const changes = isReset ? [] : await changesSince(before);
      // Another refresh may have read further meanwhile.
      version = isReset ? current : Math.max(version ?? current, current);
      if (changes.length > 0) onChanged(changes);
    },
  };
}
