import { isJsonPointer } from '../../platform/kernel/json-pointer.ts';
import type { ToolDomain } from '../domain.ts';
import { asOfIssue } from './as-of-rule.ts';
import { computedDefaultIssue } from './computed-default-rule.ts';
import { licenceIssue } from './licence-value.ts';
import { rowFilterIssue } from './row-filter-value.ts';
import { successRuleIssue } from './success-rule.ts';
import { columnCodesIssue, columnTextsIssue, conciseIssue, pivotIssue } from './view-values.ts';

export type Place = 'root' | 'operation' | 'parameter' | 'security scheme' | 'schema';

export interface Extension {
  readonly places: readonly Place[];
  /** What the value must be, if it is not that. Completes the sentence "x-name ...". */
  readonly check: (value: unknown) => string | undefined;
}

const unless =
  (test: (value: unknown) => boolean, wanted: string) =>
  (value: unknown): string | undefined =>
    test(value) ? undefined : wanted;

const flag = unless((value) => typeof value === 'boolean', 'must be true or false');
const jsonPointer = unless(
  isJsonPointer,
  'must be a JSON pointer: "" or a string that starts with "/"',
);

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Clients read it with every list of tools. */
const MAX_HINT_LENGTH = 200;

/** Each step back is another upstream request within the same call. */
const MAX_STEPS_BACK = 7;

/** The name is repeated in every row. */
const MAX_COLUMN_CHARACTERS = 100;

/** The gateway's extensions (docs/contract.md#preset-definition-files). */
const EXTENSIONS: ReadonlyMap<string, Extension> = new Map<string, Extension>([
  ['x-public-data', { places: ['root'], check: flag }],
  [
    'x-secret',
    {
      places: ['security scheme', 'parameter'],
      check: unless(
        (value) => typeof value === 'string' && /^[A-Z][A-Z0-9_]*$/.test(value),
        'must be the name of an environment variable, such as EXAMPLE_API_KEY',
      ),
    },
  ],
  [
    'x-fixed',
    {
      places: ['parameter', 'schema'],
      check: unless(
        (value) => value !== null,
        'must be the value that is always sent; it cannot be null',
      ),
    },
  ],
  [
    'x-cache-ttl',
    {
      places: ['root', 'operation'],
      check: unless(
        (value) => Number.isInteger(value) && Number(value) >= 0,
        'must be a whole number of seconds, 0 for never',
      ),
    },
  ],
  [
    'x-step-back',
    {
      places: ['operation'],
      check: unless(
        (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_STEPS_BACK,
        `must be a whole number from 1 to ${MAX_STEPS_BACK}`,
      ),
    },
  ],
  [
    'x-personal',
    {
      places: ['operation'],
      check: unless(
        (value) => Array.isArray(value) && value.length > 0 && value.every(isName),
        'must be a non-empty array of argument names',
      ),
    },
  ],
  [
    'x-publisher',
    {
      places: ['root', 'operation'],
      check: unless(isName, 'must be the name of the institution that publishes the data'),
    },
  ],
  ['x-licence', { places: ['root', 'operation'], check: licenceIssue }],
  ['x-as-of', { places: ['root', 'operation'], check: asOfIssue }],
  [
    'x-search-hint',
    {
      places: ['operation'],
      check: unless(
        (value) => typeof value === 'string' && value !== '' && value.length <= MAX_HINT_LENGTH,
        `must be words by which the tool is searched, at most ${MAX_HINT_LENGTH} characters`,
      ),
    },
  ],
  [
    'x-code-kind',
    {
      places: ['parameter'],
      check: unless(
        (value) => typeof value === 'string' && /^[a-z][a-z_]*$/.test(value),
        'must be a kind of codes that find_code knows, such as district',
      ),
    },
  ],
  ['x-members', { places: ['root', 'operation'], check: columnTextsIssue }],
  ['x-titles', { places: ['root', 'operation'], check: columnTextsIssue }],
  ['x-units', { places: ['root', 'operation'], check: columnTextsIssue }],
  ['x-codes', { places: ['root', 'operation'], check: columnCodesIssue }],
  ['x-concise', { places: ['root', 'operation'], check: conciseIssue }],
  ['x-pivot', { places: ['root', 'operation'], check: pivotIssue }],
  ['x-items', { places: ['root', 'operation'], check: jsonPointer }],
  [
    'x-item-wrapper',
    {
      places: ['root', 'operation'],
      check: unless(isName, 'must be the name of the member that holds the row'),
    },
  ],
  ['x-success', { places: ['root', 'operation'], check: successRuleIssue }],
  [
    'x-list-column',
    {
      places: ['root', 'operation'],
      check: unless(
        (value) => isName(value) && String(value).length <= MAX_COLUMN_CHARACTERS,
        'must be the name of the column that holds a list of rows',
      ),
    },
  ],
  ['x-filter', { places: ['operation'], check: rowFilterIssue }],
  ['x-total', { places: ['root', 'operation'], check: jsonPointer }],
  ['x-lift-body', { places: ['operation'], check: flag }],
  ['x-mcp-content', { places: ['operation'], check: flag }],
  ['x-read-only', { places: ['operation'], check: flag }],
  ['x-open-world', { places: ['root', 'operation'], check: flag }],
  [
    'x-confidence',
    {
      places: ['operation'],
      check: unless(
        (value) => value === 'high' || value === 'medium' || value === 'low',
        'must be high, medium or low',
      ),
    },
  ],
]);

/** The gateway's extensions, by name. */
export type Extensions = ReadonlyMap<string, Extension>;

/** The extensions of every description, and those of the domain. */
export const extensionsOf = ({ alternative, computedDefaults }: ToolDomain): Extensions =>
  new Map([
    ...EXTENSIONS,
    [alternative.extension, { places: ['operation'], check: flag }],
    [
      'x-default',
      {
        places: ['parameter'],
        check: (value) => computedDefaultIssue(value, computedDefaults),
      },
    ],
  ]);
