import { Secret } from '../kernel/secret.ts';
import { SETTINGS, type Settings } from './settings.ts';

/** Personal data does not belong in a log either. */
const PERSONAL: ReadonlySet<string> = new Set(['ADMIN_EMAIL', 'UPSTREAM_CONTACT']);

/** The settings that differ from their defaults, for the log. For secrets, only the fact that they are set. */
export function describeSettings(settings: Settings): Record<string, unknown> {
  const defaults: Readonly<Record<string, { readonly default: unknown }>> = SETTINGS;
  return Object.fromEntries(
    Object.entries(settings)
      .filter(([name, value]) => value !== defaults[name]?.default)
      .map(([name, value]) => [name, describe(name, value)]),
  );
}

function describe(name: string, value: unknown): unknown {
  const isSecret = [value].flat(2).some((each) => each instanceof Secret);
  return isSecret || PERSONAL.has(name) ? 'set' : value;
}
