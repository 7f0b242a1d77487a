type Arguments = Readonly<Record<string, unknown>>;

/** The recorded arguments, with those that a person has typed in place of the missing ones. */
export function completeArguments(
  recorded: Arguments,
  typed: Readonly<Record<string, string>>,
): Arguments {
  const values = Object.entries(typed).map(([name, text]) => [name, parsed(text)]);
  return { ...recorded, ...Object.fromEntries(values) };
}

/** JSON where it is valid, such as a number or a list; else the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** All arguments as a person has written them; undefined if that is not a JSON object. */
export function parseArguments(text: string): Arguments | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Arguments)
      : undefined;
  } catch {
    return undefined;
  }
}
