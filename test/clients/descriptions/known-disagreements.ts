interface Disagreement {
  /** Part of the names of the documents. */
  readonly document: string;
  readonly issue: RegExp;
  readonly reason: string;
}

/** Issues of calls that are right, or that a caller learns of from the error only, and why. */
const KNOWN_DISAGREEMENTS: readonly Disagreement[] = [
  {
    document: '',
    issue: /^argument .*: must match one of these forms: /,
    reason: 'What is published has one form, which joins those of the description.',
  },
  {
    document: 'oas-examples',
    issue: /^argument .*: must be a multiple of /,
    reason: 'Model APIs do not take multipleOf, so that it is not published.',
  },
  {
    document: '',
    issue: /^library: SyntaxError: Invalid regular expression: /,
    reason: 'The library reads patterns with the flag u only.',
  },
  {
    document: '',
    issue: /^(headers|query): theirs .*(\[object Object\]|inputs=_path=)/,
    reason: 'The library does not write objects within lists as JSON, nor the content of a header.',
  },
  {
    document: 'parameters-style',
    issue: /^path: .*"label"/,
    reason: 'The table of OpenAPI 3.1.1 has commas in an object in the style label, as we send.',
  },
  {
    document: 'schema-types',
    issue: /^argument \/body: "body" is required/,
    reason: 'The body must be a string and a number, which nothing is.',
  },
  {
    document: 'schema-validation',
    issue: /^query .*exclusiveMaximum$/,
    reason: 'In OpenAPI 3.1, exclusiveMaximum is no boolean; the gateway leaves it out.',
  },
  {
    document: 'shipengine',
    issue: /\/additionalProperties$|Unknown property|\/required$/,
    reason:
      'Closed schemas that refuse what they combine, and required members that do not exist: the gateway closes the whole of an allOf.',
  },
  {
    document: 'digitalocean',
    issue: /^body: refused by .*\/schema\/oneOf$/,
    reason: 'The excerpt writes anyOf for the oneOf, of which a part is referred to.',
  },
  {
    document: 'figma',
    issue: /^body: refused by .*\/required$/,
    reason: 'team_id is required and not described: the API does not take it there.',
  },
  {
    document: 'okta',
    issue: /^body.*: refused by .*\/UserSchemaAttribute\w+\/type$/,
    reason: 'The type object excludes each text of the enum: the gateway leaves the type out.',
  },
  {
    document: 'plaid',
    issue: /^body: refused by .*\/required$/,
    reason: 'idempotency_key is required and not described.',
  },
  {
    document: 'spotify',
    issue: /^body: refused by .*\/required$/,
    reason: 'uris is required and not described; the members are called ids.',
  },
  {
    document: 'zoom',
    issue: /^path \w+: refused by .*\/(enum|type)$/,
    reason: 'The enum has texts for integers, which the gateway reads as the type says.',
  },
];

export const isKnown = (document: string, issue: string): boolean =>
  KNOWN_DISAGREEMENTS.some((known) => document.includes(known.document) && known.issue.test(issue));
