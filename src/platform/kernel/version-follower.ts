export interface VersionFollowerDeps<Change> {
  /** The current version. Increases with every change, in whichever process. */
  readonly readVersion: () => Promise<number>;
  readonly changesSince: (version: number) => Promise<readonly Change[]>;
  /** Called with what changed since the last refresh. Must not throw. */
  readonly onChanged: (changes: readonly Change[]) => void;
  /** Called when the version has decreased: the database was restored from a backup, and nothing known can be relied on. */
  readonly onReset: () => void;
}

export type VersionFollower = ReturnType<typeof createVersionFollower>;

/** Follows the changes of what is stored, whichever process makes them. */
export function createVersionFollower<Change>(deps: VersionFollowerDeps<Change>) {
  const { readVersion, changesSince, onChanged, onReset } = deps;
  let version: number | undefined;
  return {
    /** The version up to which changes have been read; undefined before the first read. */
    get version(): number | undefined {
      return version;
    },
    /** Reads the version to start from. */
    async start(): Promise<number> {
      version = await readVersion();
      return version;
    },
    /**
     * Reads new changes. May run several times at once. A change is reported twice if two refreshes read it, or if it is
     * made while one reads. Rejects as the reads do.
     */
    async refresh(): Promise<void> {
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
