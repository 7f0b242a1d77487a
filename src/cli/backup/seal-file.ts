import { createHash } from 'node:crypto';
import { chmod, open } from 'node:fs/promises';

/** The size and the digest of a file. */
export interface Seal {
  readonly bytes: number;
  readonly sha256: string;
}

/** Makes a file private, waits until the disk has it, and reads it once, piece by piece. */
export async function sealFile(path: string): Promise<Seal> {
  await chmod(path, 0o600);
  const file = await open(path, 'r+');
  try {
    await file.sync();
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of file.createReadStream({ autoClose: false })) {
      hash.update(piece);
      bytes += piece.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
