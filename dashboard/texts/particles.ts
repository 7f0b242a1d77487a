/** How the word before a Korean particle ends when it is read aloud. */
type Ending = 'vowel' | 'rieul' | 'consonant' | 'unknown';

/** The particles as the texts write them: after a consonant, and after a vowel. */
const FORMS = {
  '을(를)': ['을', '를'],
  '이(가)': ['이', '가'],
  '은(는)': ['은', '는'],
  '과(와)': ['과', '와'],
  '(으)로': ['으로', '로'],
} as const;

/** The last two letters of a word, or its last digit, then what closes the word, and the particle. */
const AFTER_WORD =
  /(\p{L}?[\p{L}\p{N}])([^\p{L}\p{N}\s]{0,3})(을\(를\)|이\(가\)|은\(는\)|과\(와\)|\(으\)로)/gu;

/**
 * Chooses the form of each particle that a text writes in both, such as 을(를) after a name. Both stay where the reading
 * of the word is not known. Our own, because the small libraries for this read only Hangul and digits, and the names
 * here are mostly English words and addresses.
 */
export const withParticles = (text: string): string =>
  text.replace(AFTER_WORD, (_, end: string, close: string, both: string) => {
    const form = formAfter(both as keyof typeof FORMS, endingOf(end));
    return `${end}${close}${form}`;
  });

function formAfter(both: keyof typeof FORMS, ending: Ending): string {
  const [afterConsonant, afterVowel] = FORMS[both];
  if (ending === 'unknown') return both;
  const isOpen = ending === 'vowel' || (ending === 'rieul' && both === '(으)로');
  return isOpen ? afterVowel : afterConsonant;
}

function endingOf(end: string): Ending {
  const last = end.slice(-1);
  if (last >= '가' && last <= '힣') {
    const final = (last.charCodeAt(0) - 0xac00) % 28;
    if (final === 0) return 'vowel';
    return final === 8 ? 'rieul' : 'consonant';
  }
  // 1 일, 7 칠, 8 팔; then 0 영 and tens, hundreds and thousands, 3 삼, 6 육.
  if (/[178l]/i.test(last)) return 'rieul';
  if (/[036mn]/i.test(last) || /ng$/i.test(end)) return 'consonant';
  if (/[2459adfhijosuvwxyz]/i.test(last) || last === 'r') return 'vowel';
  // "e" is often silent (name 네임); b, c, g, k, p and t may close a syllable (bot 봇, test 테스트); R is 알 or 르.
  return 'unknown';
}
