/**
 * EUC-KR as Korean servers use it in practice: windows-949, which adds the 8,822 Hangul syllables missing from
 * KS X 1001. Node's TextDecoder covers only KS X 1001 and decodes the other syllables to wrong characters without an
 * error, so this file completes the table: the extension lists the missing syllables in Unicode order.
 */

const FIRST_LEAD = 0x81;
const FIRST_TRAIL = 0x41;
const TRAILS = 0xfe - FIRST_TRAIL + 1;
const KS_FIRST = 0xa1;
const REPLACEMENT = 0xfffd;

const slot = (lead: number, trail: number): number =>
  (lead - FIRST_LEAD) * TRAILS + (trail - FIRST_TRAIL);

const isHangul = (code: number): boolean => code >= 0xac00 && code <= 0xd7a3;

/** The characters of KS X 1001, a 94 x 94 table with one code per byte pair. Skips private-use codes. */
function* standardCharacters(): Generator<{ lead: number; trail: number; code: number }> {
  const decoder = new TextDecoder('euc-kr');
  for (let lead = KS_FIRST; lead <= 0xfe; lead++) {
    for (let trail = KS_FIRST; trail <= 0xfe; trail++) {
      const text = decoder.decode(Uint8Array.of(lead, trail));
      const code = text.charCodeAt(0);
      const isPrivate = code >= 0xe000 && code <= 0xf8ff;
      if (text.length === 1 && code !== REPLACEMENT && !isPrivate) yield { lead, trail, code };
    }
  }
}

/** The slots of the extension's byte pairs, in order. */
function* extensionSlots(): Generator<number> {
  for (let lead = FIRST_LEAD; ; lead++) {
    const lastTrail = lead < KS_FIRST ? 0xfe : KS_FIRST - 1;
    for (let trail = FIRST_TRAIL; trail <= lastTrail; trail++) {
      const isLetter = (trail & 0x5f) >= 0x41 && (trail & 0x5f) <= 0x5a && trail < 0x80;
      if (isLetter || trail >= 0x81) yield slot(lead, trail);
    }
  }
}

function buildTable(): Uint16Array {
  const table = new Uint16Array((0xfe - FIRST_LEAD + 1) * TRAILS);
  const standard = new Set<number>();
  for (const { lead, trail, code } of standardCharacters()) {
    table[slot(lead, trail)] = code;
    if (isHangul(code)) standard.add(code);
  }
  table[slot(0xa2, 0xe6)] = 0x20ac; // euro and registered signs: later additions that the decoder lacks
  table[slot(0xa2, 0xe7)] = 0xae;
  let next = 0xac00;
  for (const index of extensionSlots()) {
    while (standard.has(next)) next++;
    if (!isHangul(next)) break;
    table[index] = next++;
  }
  return table;
}

let table: Uint16Array | undefined;

/** Decodes windows-949 (EUC-KR). For invalid bytes, returns null or, if `lossy`, inserts U+FFFD. */
export function decodeWindows949(bytes: Buffer, lossy: boolean): string | null {
  table ??= buildTable(); // takes milliseconds, so only when the first such body arrives
  const text = new Uint16Array(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i] ?? 0;
    if (lead < 0x80) {
      text[length++] = lead;
      continue;
    }
    const trail = bytes[i + 1] ?? 0;
    const inTable = lead >= FIRST_LEAD && lead <= 0xfe && trail >= FIRST_TRAIL && trail <= 0xfe;
    const code = inTable ? (table[slot(lead, trail)] ?? 0) : 0;
    if (code === 0 && !lossy) return null;
    text[length++] = code || REPLACEMENT;
    if (code !== 0 || trail >= 0x80) i++; // an ASCII byte after an invalid lead byte is itself a character
  }
  return Buffer.from(text.buffer, 0, length * 2).toString('utf16le');
}
