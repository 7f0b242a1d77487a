import { toolCall } from '../../support/rpc-requests.ts';
import type { Entry } from '../corpus-request.ts';
import { posts, under } from './build.ts';

type Row = readonly [title: string, args: object];

const of = (tool: string, rows: readonly Row[]): Entry[] =>
  posts(rows.map(([title, args]) => [title, toolCall(tool, args)] as const));

const withTitle = (args: object) => ({ title: 'good', ...args });

const KINDS = of('corpus_arguments', [
  ['all is well', withTitle({ count: 3, tags: ['a'], place: { lat: 1 }, maybe: null })],
  ['nothing', {}],
  ['an unknown name', withTitle({ colour: 'red' })],
  ['an unknown name like no other', withTitle({ zzzzzzzz: 1 })],
  ['a name of 500 characters', withTitle({ ['x'.repeat(500)]: 1 })],
  ['too short a text', { title: 'g' }],
  ['too long a text', { title: 'much too long' }],
  ['a number for a text', { title: 5 }],
  ['null for a text', { title: null }],
  ['an object for a text', { title: {} }],
  ['a number in quotes', withTitle({ count: '5' })],
  ['half a number', withTitle({ count: 1.5 })],
  ['too small', withTitle({ count: 0 })],
  ['too large', withTitle({ count: 10 })],
  ['on the border', withTitle({ ratio: 1 })],
  ['no multiple', withTitle({ step: 7 })],
  ['a word for a flag', withTitle({ flag: 'true' })],
  ['none of the choices', withTitle({ color: 'blue' })],
  ['another constant', withTitle({ fixed: 'never' })],
  ['another pattern', withTitle({ code: 'krw' })],
  ['another format', withTitle({ day: '2026-02-30' })],
  ['no items', withTitle({ tags: [] })],
  ['too many items', withTitle({ tags: ['a', 'b', 'c', 'd'] })],
  ['the same item twice', withTitle({ tags: ['a', 'a'] })],
  ['an item of another type', withTitle({ tags: ['a', 2] })],
  ['1,001 items', withTitle({ tags: Array.from({ length: 1001 }, (_, n) => `${n}`) })],
  ['no required property', withTitle({ place: {} })],
  ['an unknown property', withTitle({ place: { lat: 1, lng: 2 } })],
  ['a property that needs another', withTitle({ place: { lat: 1, height: 2 } })],
  ['no form of several', withTitle({ either: [] })],
  ['two forms of one', withTitle({ one: 4 })],
  ['neither type', withTitle({ maybe: 1 })],
  ['several faults', { title: '', count: 'x', color: 1, place: 5 }],
  [
    '30 unknown names',
    withTitle(Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`a${n}`, n]))),
  ],
]);

const PATHS = of(
  'fixture_secret',
  ['', '.', '..', 'a/b', 'a\\b', '%2e%2e', '%252e', 'a\r\nb', 'a\u0000b', '%', '%zz'].map(
    (part): Row => [JSON.stringify(part), { part }],
  ),
);

const ARGUMENTS_TEXT = (text: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture_cached","arguments":${text}}}`;

const TEXTS = posts(
  ['{"n":9007199254740993}', '{"n":1e400}', '{"n":1e-400}', '{"n":"\\ud800"}', '{"n":1.0}'].map(
    (text) => [text, ARGUMENTS_TEXT(text)] as const,
  ),
);

const PROTOTYPES = posts(
  ['{"__proto__":{"n":1}}', '{"n":1,"__proto__":{"x":1}}', '{"n":1,"constructor":{}}'].map(
    (text) => [text, ARGUMENTS_TEXT(text)] as const,
  ),
);

const PERSONAL = of('corpus_person', [
  ['a name', { name: 'Gildong', note: 'x' }],
  ['no name', { name: '', note: '010-1234-5678' }],
]);

/** Error messages for invalid arguments. */
export const ARGUMENTS: readonly Entry[] = [
  ...under('schema', KINDS),
  ...under('path', PATHS),
  ...under('number', TEXTS),
  ...under('prototype', PROTOTYPES),
  ...under('personal', PERSONAL),
];
