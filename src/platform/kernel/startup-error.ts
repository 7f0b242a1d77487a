/** Thrown when the gateway cannot start. The message says what is wrong and what to do; the process prints it and exits 1. */
export class StartupError extends Error {}
