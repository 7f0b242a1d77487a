/** A copy of an API description in which what a `$ref` names replaces it. The description has no cycles. */
// biome-ignore lint/suspicious/noExplicitAny: tests read the description, whose shape is under test.
export function dereference(document: object): any {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    if ('$ref' in value) return resolve(targetOf(document, String(value.$ref)));
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member)]));
  };
  return resolve(document);
}

function targetOf(document: object, reference: string): unknown {
  const names = reference.split('/').slice(1);
  const target = names.reduce<unknown>(
    (value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name],
    document,
  );
  if (target === undefined) throw new Error(`The description has no ${reference}.`);
  return target;
}
