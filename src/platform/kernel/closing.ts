/** A part that holds resources open. `close` may be called twice. */
export interface Closeable {
  close(): Promise<void>;
}

export type ClosingStack = ReturnType<typeof createClosingStack>;

/** Parts in the order in which they were opened. Closes them once, in reverse order, even when one of them fails. */
export function createClosingStack() {
  const parts: Closeable[] = [];
  let closing: Promise<void> | undefined;
  return {
    /** Adds a part and returns it. */
    add: <Part extends Closeable>(part: Part): Part => {
      parts.push(part);
      return part;
    },
    close: (): Promise<void> => {
      closing ??= closeAll(parts);
      return closing;
    },
  };
}

async function closeAll(parts: readonly Closeable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of parts.toReversed()) {
    await part.close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some parts failed to close.');
}
