/**
 * EUC-KR as Korean servers really write it: windows-949, which adds the 8,822 Hangul syllables that KS X 1001
 * leaves out. The TextDecoder of Node reads KS X 1001 only and turns the others into wrong letters without an error,
 * so the table is completed here: the extension holds the missing syllables in Unicode order.
 */

const FIRST_LEAD = 0x81;
const FIRST_TRAIL = 0x41;
const TRAILS = 0xfe - FIRST_TRAIL + 1;
const KS_FIRST = 0xa1;
const REPLACEMENT = 0xfffd;

const slot = (lead: number, trail: number): number =>
  (lead - FIRST_LEAD) * TRAILS + (trail - FIRST_TRAIL);

const isHangul = (code: number): boolean => code >= 0xac00 && code <= 0xd7a3;

/** The 94 x 94 characters of KS X 1001, one code for each pair of bytes; private-use ones count as none. */
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

/** The pairs of bytes that the extension uses, in order. */
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
  table[slot(0xa2, 0xe6)] = 0x20ac; // euro and registered sign: later additions that the decoder lacks
  table[slot(0xa2, 0xe7)] = 0xae;
  let next = 0xac00;
  for (const place of extensionSlots()) {
    while (standard.has(next)) next++;
    if (!isHangul(next)) break;
    table[place] = next++;
  }
  return table;
}

let table: Uint16Array | undefined;

/** The text of windows-949 (EUC-KR) bytes; null, or U+FFFD when `lossy`, for bytes that mean nothing. */
export function decodeWindows949(bytes: Buffer, lossy: boolean): string | null {
  table ??= buildTable(); // some milliseconds, so only when a body asks for it
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
    if (code !== 0 || trail >= 0x80) i++; // an ASCII byte after a bad lead is text of its own
  }
  return Buffer.from(text.buffer, 0, length * 2).toString('utf16le');
}
