import { expect, it } from 'vitest';
import { parentOf, readTraceParent } from './call-span.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

it.each([
  [`00-${TRACE}-${SPAN}-01`, 1],
  [`00-${TRACE}-${SPAN}-00`, 0],
  [`00-${TRACE}-${SPAN}-03`, 1],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-holds`, 1],
])('reads %s', (text, traceFlags) => {
  expect(readTraceParent(text)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags });
});

it.each([
  '',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
])('refuses %j', (text) => {
  expect(readTraceParent(text)).toBeUndefined();
});

it('prefers the parent of the message, and ignores what is too long', () => {
  const flagsOf = (call?: string, context?: string) =>
    parentOf({ call: { traceparent: call }, context: { traceparent: context } } as never)
      ?.traceFlags;
  const [sampled, other] = [`cc-${TRACE}-${SPAN}-01-`, `00-${TRACE}-${SPAN}-00`];
  expect(flagsOf(sampled, other)).toBe(1);
  expect(flagsOf(undefined, other)).toBe(0);
  expect(flagsOf(sampled.padEnd(200, 'a'))).toBe(1);
  expect(flagsOf(sampled.padEnd(201, 'a'), other)).toBeUndefined();
});
