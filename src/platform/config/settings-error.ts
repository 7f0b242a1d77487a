/** Thrown for invalid settings. The message names each one and what is allowed, never the value. */
export class SettingsError extends Error {}
