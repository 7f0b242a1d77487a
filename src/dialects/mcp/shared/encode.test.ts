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
    expect(renderingFor({}, {}, 900)).toEqual({ style: 'full', maxCharacters: 900 });
    expect(renderingFor({}, callerWith(null, 'text'), 900).style).toBe('text');
    expect(renderingFor({ result: 'structured' }, callerWith(null, 'text'), 900).style).toBe(
      'structured',
    );
    expect(() => renderingFor({ result: 'loud' }, {}, 900)).toThrow('Choose text or structured');
  });

  it('is never longer than the setting or the toolset allows', () => {
    expect(renderingFor({}, callerWith(500, null), 900).maxCharacters).toBe(500);
    expect(renderingFor({}, callerWith(5000, null), 900).maxCharacters).toBe(900);
  });
});
