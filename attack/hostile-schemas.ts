/** Schemas that a stranger may write to make a check take long, each with a value that makes it so. */
export interface HostileSchema {
  readonly schema: object;
  readonly value: unknown;
}

/** What patterns repeat: nested quantifiers, alternatives, look-arounds, back-references, escapes with and without `u`. */
const REPEATED = [
  '(?:a+)+',
  '(?:a|a)*',
  '(?:a|aa)+',
  '(?:a?){30}a{30}',
  '(a*)*\\1',
  '(?=(a+)+b)a',
  '(?!(a+)+b)a*c',
  '(?<=(a+)+)b',
  '(?:\\p{1,200})+',
  '(?:\\u{1,200})+',
  '(?:\\u{61}+)+',
  '(?:\\p{L}+)+',
  '\\k<(?:a+)+>',
  '(?<n>a+)+\\k<n>*',
  '(?:[\\s\\S]{0,66}){3}[\\s\\S]{100}b',
  'a*a*a*a*a*a*a*',
  '(?:(?:(?:a+)+)+)+',
  '(?:.*){5}',
  '(?:\\w+\\s?)+',
  '(?:a{0,1000}){0,1000}',
] as const;

const FORMATS = [
  'date',
  'time',
  'date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'url',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'regex',
  'uuid',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
  'byte',
  'int32',
  'double',
] as const;

const list = (length: number, item: (n: number) => unknown): unknown[] =>
  Array.from({ length }, (_, n) => item(n));

const array = (items: object, more: object = {}): object => ({
  type: 'array',
  maxItems: 100_000,
  items,
  ...more,
});

const nested = (levels: number, of: (inner: object) => object, inner: object): object =>
  levels === 0 ? inner : of(nested(levels - 1, of, inner));

const patterned = REPEATED.flatMap((repeated): HostileSchema[] => {
  const letters = /\\p\{1/.test(repeated) ? 'p' : /\\u\{1/.test(repeated) ? 'u' : 'a';
  const text = `${letters.repeat(190)}!`;
  return [
    { schema: { type: 'string', pattern: `^${repeated}$` }, value: text },
    { schema: { type: 'string', pattern: `${repeated}x` }, value: `${letters.repeat(30)}!` },
    { schema: array({ type: 'string', pattern: `^${repeated}b$` }), value: list(400, () => text) },
    {
      schema: { type: 'object', patternProperties: { [`^${repeated}$`]: { type: 'null' } } },
      value: Object.fromEntries(list(500, (n) => [`${letters.repeat(40)}${n}!`, null]) as []),
    },
    {
      schema: { type: 'object', propertyNames: { pattern: `^${repeated}$` } },
      value: { [text]: 1 },
    },
  ];
});

const formatted = FORMATS.flatMap((format): HostileSchema[] =>
  ['http://a', '/', 'a.', '{a}'].map((start) => ({
    schema: array({ type: 'string', format }),
    value: list(100, () => `${start}${'a:'.repeat(990)}`),
  })),
);

const leaf = { type: 'string', pattern: '^(a+)+$' };
const structured: readonly HostileSchema[] = [
  {
    schema: nested(6, (inner) => ({ anyOf: [inner, inner, { not: inner }] }), leaf),
    value: `${'a'.repeat(28)}!`,
  },
  { schema: array({}, { uniqueItems: true }), value: list(9000, (n) => ({ n, a: 'x' })) },
  { schema: array({}, { uniqueItems: true }), value: list(9000, (n) => [n]) },
  { schema: array({}, { contains: { const: { a: [1, 2] } } }), value: list(9000, () => 'x') },
  { schema: array({ oneOf: list(200, (n) => ({ const: n })) }), value: list(900, (n) => n) },
  { schema: { type: 'number', multipleOf: 1e-300 }, value: 1e300 },
  { schema: array({ type: 'number', multipleOf: 5e-324 }), value: list(9000, (n) => n + 0.1) },
  {
    schema: { $dynamicRef: '#node', $dynamicAnchor: 'node' },
    value: nested(60, (a) => ({ a }), {}),
  },
  { schema: { enum: list(20_000, (n) => ({ n })) }, value: { n: 'x' } },
  { schema: array({ enum: list(5000, (n) => `v${n}`) }), value: list(9000, () => 'x') },
  {
    schema: array({}, { minItems: 1, unevaluatedItems: false, contains: leaf }),
    value: list(500, () => `${'a'.repeat(30)}!`),
  },
  {
    schema: {
      if: { properties: { a: leaf } },
      else: { dependentSchemas: { a: { properties: { a: leaf } } } },
    },
    value: { a: `${'a'.repeat(30)}!` },
  },
  {
    schema: { type: 'object', additionalProperties: leaf },
    value: Object.fromEntries(list(900, (n) => [`n${n}`, `${'a'.repeat(25)}!`]) as []),
  },
  { schema: { type: 'string', minLength: 1, maxLength: 1e9 }, value: '\u{1F600}'.repeat(100_000) },
];

/** 200 of them. */
export const HOSTILE_SCHEMAS: readonly HostileSchema[] = [
  ...patterned,
  ...formatted,
  ...structured,
  ...list(200 - patterned.length - formatted.length - structured.length, (n) => ({
    schema: { type: 'string', pattern: `^(?:a{1,${n + 2}}|a|b)*${'a?'.repeat(n)}$` },
    value: `${'ab'.repeat(60)}!`,
  })),
] as readonly HostileSchema[];
