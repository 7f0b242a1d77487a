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
  ['too short a text', { title: 'g' }],
  ['a number in quotes', withTitle({ count: '5' })],
  ['another pattern', withTitle({ code: 'krw' })],
  ['another format', withTitle({ day: '2026-02-30' })],
  ['a property that needs another', withTitle({ place: { lat: 1, height: 2 } })],
  ['no form of several', withTitle({ either: [] })],
  ['two forms of one', withTitle({ one: 4 })],
  ['several faults', { title: '', count: 'x', color: 1, place: 5 }],
]);

const PATHS = of(
  'fixture_secret',
  ['..', 'a/b', '%252e'].map((part): Row => [JSON.stringify(part), { part }]),
);

const ARGUMENTS_TEXT = (text: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture_cached","arguments":${text}}}`;

const TEXTS = posts(
  ['{"n":9007199254740993}', '{"n":1e400}'].map((text) => [text, ARGUMENTS_TEXT(text)] as const),
);

const PROTOTYPES = posts(
  ['{"n":1,"__proto__":{"x":1}}'].map((text) => [text, ARGUMENTS_TEXT(text)] as const),
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
