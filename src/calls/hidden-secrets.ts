import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Secret } from '../platform/kernel/secret.ts';
import type { Tool } from '../tools/model.ts';
import type { SecretLookup } from '../tools/request/parameter-writer.ts';
import type { HiddenSecrets } from '../tools/tool-connection.ts';
import { isShortSecret } from '../upstreams/redaction/secret-forms.ts';

interface Known {
  readonly secrets: readonly (Secret | undefined)[];
  readonly hidden: HiddenSecrets;
}

const byTool = new WeakMap<Tool, Known>();

/** Sets of secrets that are cached; the least recently used is evicted first. */
const MAX_SETS = 256;
const shared = new LRUCache<string, HiddenSecrets>({ max: MAX_SETS });

/**
 * The secrets that a response to this tool must not repeat; undefined for a tool without secrets. Returns the same
 * object while the secrets stay the same, and for all tools that send the same secrets in the same way.
 */
export function hiddenSecrets(tool: Tool, secrets: SecretLookup): HiddenSecrets | undefined {
  if (tool.secrets.length === 0) return undefined;
  const known = byTool.get(tool);
  if (known && isCurrent(known, tool.secrets, secrets)) return known.hidden;
  const fresh = share(listSecrets(tool, (name) => [secrets(name)?.reveal() ?? '']));
  byTool.set(tool, { secrets: tool.secrets.map(secrets), hidden: fresh });
  return fresh;
}

function isCurrent(known: Known, names: readonly string[], secrets: SecretLookup): boolean {
  for (let index = 0; index < names.length; index++) {
    if (secrets(names[index] ?? '') !== known.secrets[index]) return false;
  }
  return true;
}

const listSecrets = (
  { parameters }: Tool,
  valuesOf: (secretName: string) => readonly string[],
): HiddenSecrets =>
  parameters.flatMap(({ name, in: location, source }) => {
    if (source.kind !== 'secret') return [];
    const { secret, prefix } = source;
    return valuesOf(secret).map((value) => ({ value, name, in: location, prefix }));
  });

/** Secrets that this tool no longer sends, and that a call under way may have sent. */
export const formerSecrets = (
  tool: Tool,
  formerOf: (name: string) => readonly Secret[],
): HiddenSecrets => listSecrets(tool, (name) => formerOf(name).map((value) => value.reveal()));

function share(hidden: HiddenSecrets): HiddenSecrets {
  const key = JSON.stringify(hidden);
  const known = shared.get(key) ?? hidden;
  shared.set(key, known);
  return known;
}

/** Warns of every secret with one of these names that is too short to be redacted wherever a response repeats it. Logs its name only. */
export function warnOfShortSecrets(
  names: readonly string[],
  secrets: SecretLookup,
  logger: Pick<Logger, 'warn'>,
): void {
  for (const secretName of names) {
    const value = secrets(secretName)?.reveal();
    if (!value || !isShortSecret(value)) continue;
    logger.warn(
      { secretName },
      'a secret has fewer than 8 characters: in responses it is redacted only where it is the whole value of its parameter or header; use a longer one',
    );
  }
}
