import { Secret } from '../kernel/secret.ts';
import { SETTINGS, type Settings } from './settings.ts';

/** Personal data has no place in a log either. */
const PERSONAL: ReadonlySet<string> = new Set(['ADMIN_EMAIL']);

/** The settings that are not at their default, for the log; of secrets only that they are set. */
export function describeSettings(settings: Settings): Record<string, unknown> {
  const defaults: Readonly<Record<string, { readonly default: unknown }>> = SETTINGS;
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([name, value]) => value !== defaults[name]?.default)
      .map(([name, value]) => [name, describe(name, value)]),
  );
}

function describe(name: string, value: unknown): unknown {
  return value instanceof Secret || PERSONAL.has(name) ? 'set' : value;
}
