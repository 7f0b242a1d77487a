/** Thrown when the gateway cannot start. The process prints the message, which says what to do, and exits with 1. */
export class StartupError extends Error {}
