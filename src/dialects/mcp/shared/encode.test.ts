import { describe, expect, it } from 'vitest';
import { renderingFor } from './encode.ts';

const callerWith = (maxCharacters: number | null, style: 'text' | 'structured' | null) => ({
  narrowing: {
    category: null,
    tools: null,
    toolset: { tools: [], ownTools: [], maxCharacters, style },
  },
});

describe('the form of a result', () => {
  it('is that of the address, else that of its toolset', () => {
    expect(renderingFor({ query: {} }, {}, 900)).toEqual({
      style: 'full',
      maxCharacters: 900,
      knowsLinks: false,
    });
    expect(renderingFor({ query: {} }, callerWith(null, 'text'), 900).style).toBe('text');
    expect(
      renderingFor({ query: { result: 'structured' } }, callerWith(null, 'text'), 900).style,
    ).toBe('structured');
    expect(() => renderingFor({ query: { result: 'loud' } }, {}, 900)).toThrow(
      'Choose text, structured or json',
    );
  });

  it('is never longer than the setting or the toolset allows', () => {
    expect(renderingFor({ query: {} }, callerWith(500, null), 900).maxCharacters).toBe(500);
    expect(renderingFor({ query: {} }, callerWith(5000, null), 900).maxCharacters).toBe(900);
  });

  it('is longer for programs, unless the toolset says otherwise', () => {
    const json = { query: { result: 'json' } };
    expect(renderingFor(json, {}, 900)).toMatchObject({ style: 'json', maxCharacters: 1_000_000 });
    expect(renderingFor(json, callerWith(500, null), 900).maxCharacters).toBe(500);
  });

  it('has resource links from 2025-06-18 on', () => {
    const knowing = ['2024-11-05', '2025-03-26', '2025-06-18', '2026-07-28'].filter(
      (date) =>
        renderingFor({ query: {}, headers: { 'mcp-protocol-version': date } }, {}, 900).knowsLinks,
    );
    expect(knowing).toEqual(['2025-06-18', '2026-07-28']);
  });
});
