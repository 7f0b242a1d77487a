/** Listeners that learn when the gateway has answered 401: the session has expired or was closed elsewhere. */
const listeners = new Set<() => void>();

export function reportSignedOut(): void {
  for (const listener of listeners) listener();
}

/** Returns the function that removes the listener. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
