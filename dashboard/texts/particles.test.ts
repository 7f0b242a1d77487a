import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withParticles } from './particles.ts';

const PARTICLES = ['을(를)', '이(가)', '은(는)', '과(와)', '(으)로'];

describe('the particles of a Korean text', () => {
  test.each([
    ['날씨을(를) 지우고', '날씨를 지우고'],
    ['환율을(를) 지우고', '환율을 지우고'],
    ['서울(으)로', '서울로'],
    ['부산(으)로', '부산으로'],
    ['대구(으)로', '대구로'],
    ['이름이(가) 값은(는) 키과(와)', '이름이 값은 키와'],
    ['DATA_GO_KR_KEY을(를) 지운 뒤', 'DATA_GO_KR_KEY를 지운 뒤'],
    ['https://api.example.com(으)로', 'https://api.example.com으로'],
    ['https://api.example.com/(으)로', 'https://api.example.com/으로'],
    ['http://localhost:8081(으)로', 'http://localhost:8081로'],
    ['HTTP 503(으)로', 'HTTP 503으로'],
    ['HTTP 404(으)로', 'HTTP 404로'],
    ['HTTP 500(으)로', 'HTTP 500으로'],
    ['"일정표"을(를)', '"일정표"를'],
    ['ping이(가) pong(으)로', 'ping이 pong으로'],
    ['email(으)로 mail을(를)', 'email로 mail을'],
  ])('%s', (text, expected) => {
    expect(withParticles(text)).toBe(expected);
  });

  test('stay in both forms where nobody knows how the word is read', () => {
    for (const text of ['name을(를)', 'test이(가)', '日本(으)로', '을(를)', '… 을(를)']) {
      expect(withParticles(text)).toBe(text);
    }
  });

  test('are chosen after every syllable, and nothing else of the text changes', () => {
    const syllable = fc.integer({ min: 0xac00, max: 0xd7a3 }).map((at) => String.fromCharCode(at));
    fc.assert(
      fc.property(fc.string(), syllable, fc.constantFrom(...PARTICLES), (before, end, particle) => {
        const start = `${before} ${end}`;
        const chosen = withParticles(`${start}${particle}`);
        expect(chosen.startsWith(start)).toBe(true);
        expect(particle.replace(/[()]/g, '')).toContain(chosen.slice(start.length));
        expect(chosen.slice(start.length)).not.toMatch(/[()]/);
      }),
    );
  });

  test('leave texts without both forms alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!PARTICLES.some((particle) => text.includes(particle)));
        expect(withParticles(text)).toBe(text);
      }),
    );
  });
});
