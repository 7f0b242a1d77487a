import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { companyZip } from '../../../test/support/company-zip.ts';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { until } from '../../../test/support/until.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import {
  type Companies,
  type CompaniesDeps,
  type CompanySource,
  createCompanies,
} from './companies.ts';
import { COMPANY_LIMITS } from './company-file.ts';

const SCRIPT = new URL('./companies-worker.ts', import.meta.url);
const START = Date.parse('2026-11-22T00:00:00Z');

let dir: string;
let nowMs: number;
let key: Secret | undefined;
let fetches: number;
/** What the next fetches do. */
let fetchZip: () => Promise<Buffer>;
const failures: GatewayError[] = [];
const opened: Companies[] = [];

beforeEach(async () => {
  dir = await makeDataDir();
  nowMs = START;
  key = new Secret('key');
  fetches = 0;
  fetchZip = async () => companyZip();
  failures.length = 0;
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((companies) => companies.close()));
  await removeDir(dir);
});

const sourceAt = (source: string, keyName = 'DART_API_KEY'): CompanySource => ({
  source,
  keyName,
  key: () => key,
  fetchZip: () => {
    fetches++;
    return fetchZip();
  },
});

/** The source of the list in the file. */
function keptSource() {
  const file = new DatabaseSync(join(dir, 'companies.db'), { readOnly: true });
  try {
    return file.prepare('SELECT source FROM origin').get()?.['source'];
  } finally {
    file.close();
  }
}

/** The list of a gateway that has just started. */
function start(deps: Partial<CompaniesDeps> = {}): Companies {
  const from = sourceAt('https://dart.example/corpCode.xml');
  const companies = createCompanies({
    dataDir: dir,
    from: () => from,
    clock: { now: () => nowMs },
    waitMs: 30_000,
    script: SCRIPT,
    maxHeapMib: 128,
    onFetched: () => undefined,
    onFailed: (error) => failures.push(error),
    ...deps,
  });
  opened.push(companies);
  return companies;
}

const codeOf = async (companies: Companies, text = '삼성전자') => {
  const resolution = (await companies.table()).resolve(text);
  return 'code' in resolution ? resolution.code : undefined;
};
const failureOf = async (companies: Companies) => {
  const { code, message } = await Promise.resolve(companies.table()).then(
    () => expect.fail('There is a list.'),
    (error) => error,
  );
  return { code, message };
};

describe('the list of companies', () => {
  it('is fetched once for all who ask for it, and not before', async () => {
    const companies = start();
    expect(fetches).toBe(0);
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(companies)));
    expect(new Set(codes)).toEqual(new Set(['00126380']));
    expect(companies.table()).not.toBeInstanceOf(Promise);
    expect(fetches).toBe(1);
  });

  it('is kept for the next start, readable by its owner only', async () => {
    await codeOf(start());
    expect((await stat(join(dir, 'companies.db'))).mode & 0o777).toBe(0o600);
    nowMs += COMPANY_LIMITS.refreshMs - 1;
    expect(await codeOf(start())).toBe('00126380');
    key = undefined;
    expect(await codeOf(start())).toBe('00126380');
    expect(fetches).toBe(1);
  });

  it('is fetched again after a day, and the old one serves meanwhile', async () => {
    const companies = start();
    await codeOf(companies);
    const fetched = Promise.withResolvers<Awaited<ReturnType<typeof fetchZip>>>();
    fetchZip = () => fetched.promise;
    nowMs += COMPANY_LIMITS.refreshMs;
    expect(await codeOf(companies)).toBe('00126380');
    fetched.resolve(companyZip([['00000009', '새회사']]));
    await until(async () => (await codeOf(companies, '새회사')) === '00000009');
    await codeOf(companies);
    expect(fetches).toBe(2);
  });

  it('stays in use if a new one cannot be fetched', async () => {
    const companies = start();
    await codeOf(companies);
    fetchZip = () => Promise.reject(new GatewayError('upstream_timeout'));
    nowMs += COMPANY_LIMITS.refreshMs;
    await until(async () => {
      await codeOf(companies);
      return failures.length === 1;
    });
    expect(await codeOf(companies)).toBe('00126380');
    expect(fetches).toBe(2);
  });

  it('is not fetched for five minutes after a failure, unless the key has changed', async () => {
    const companies = start();
    fetchZip = () => Promise.reject(new GatewayError('upstream_unreachable'));
    for (let n = 0; n < 3; n++) {
      expect(await failureOf(companies)).toMatchObject({ code: 'upstream_unreachable' });
    }
    expect([fetches, failures.length]).toEqual([1, 1]);
    nowMs += COMPANY_LIMITS.retryMs;
    await failureOf(companies);
    expect(fetches).toBe(2);
    key = new Secret('another');
    fetchZip = async () => companyZip();
    expect(await codeOf(companies)).toBe('00126380');
    expect(fetches).toBe(3);
  });

  it('needs a key, and says who must set which', async () => {
    key = undefined;
    const companies = start();
    const message = expect.stringMatching(/DART_API_KEY, which has no value: the operator/);
    expect(await failureOf(companies)).toEqual({ code: 'missing_secret', message });
    expect(fetches).toBe(0);
    key = new Secret('key');
    expect(await codeOf(companies)).toBe('00126380');
  });

  it('makes no caller wait longer than the limit', async () => {
    let arrive = (_zip: Buffer): void => undefined;
    fetchZip = () =>
      new Promise((resolve) => {
        arrive = resolve;
      });
    const companies = start({ waitMs: 1 });
    const message = expect.stringContaining('Retry in a minute');
    await until(async () => {
      expect(await failureOf(companies)).toEqual({ code: 'upstream_timeout', message });
      return fetches === 1;
    });
    arrive(companyZip());
    await until(async () => Boolean(await Promise.resolve(companies.table()).catch(() => false)));
    expect(fetches).toBe(1);
  });

  it.each([
    ['a broken ZIP', async () => companyZip().subarray(0, 300), /not a complete ZIP\.$/],
    ['a ZIP without companies', async () => companyZip([]), /names no companies\.$/],
  ])('is not taken from %s', async (_, broken, message) => {
    fetchZip = broken;
    expect(await failureOf(start())).toEqual({
      code: 'upstream_bad_payload',
      message: expect.stringMatching(message),
    });
    expect(await readdir(dir)).toEqual([]);
  });

  it('is not taken from a file of another address, nor from one that is broken', async () => {
    await codeOf(start());
    const elsewhere = sourceAt('http://127.0.0.1:1/corpCode.xml');
    await codeOf(start({ from: () => elsewhere }));
    expect(fetches).toBe(2);
    await Promise.all(opened.splice(0).map((companies) => companies.close()));
    await writeFile(join(dir, 'companies.db'), 'not a database');
    await codeOf(start());
    expect(fetches).toBe(3);
  });

  it('follows the presets: to another address, key or way to fetch it, and away', async () => {
    let from: CompanySource | undefined = sourceAt('https://dart.example/corpCode.xml');
    const companies = start({ from: () => from });
    await codeOf(companies);
    from = sourceAt('https://dart.example/corpCode.xml', 'OTHER_KEY');
    expect([await codeOf(companies), companies.keyName, fetches]).toEqual([
      '00126380',
      'OTHER_KEY',
      1,
    ]);
    from = sourceAt('https://other.example/corpCode.xml');
    expect([await codeOf(companies), companies.keyName, fetches]).toEqual([
      '00126380',
      'DART_API_KEY',
      2,
    ]);
    expect(keptSource()).toBe('https://other.example/corpCode.xml');
    from = undefined;
    expect(companies.keyName).toBeUndefined();
    expect(failures).toEqual([]);
  });

  it('of a former address is not kept once the presets name another', async () => {
    const arrived = Promise.withResolvers<Buffer>();
    fetchZip = () => arrived.promise;
    let from = sourceAt('https://former.example/corpCode.xml');
    const companies = start({ from: () => from, waitMs: 1 });
    expect(await failureOf(companies)).toMatchObject({ code: 'upstream_timeout' });
    from = sourceAt('https://dart.example/corpCode.xml');
    fetchZip = async () => companyZip();
    await until(async () => Boolean(await Promise.resolve(companies.table()).catch(() => false)));
    arrived.resolve(companyZip([['00000009', '새회사']]));
    await arrived.promise;
    await companies.close();
    expect(keptSource()).toBe('https://dart.example/corpCode.xml');
  });

  it('is not in use if it cannot be kept', async () => {
    await writeFile(join(dir, 'file'), '');
    const message = 'The list of companies could not be written to DATA_DIR.';
    const failure = await failureOf(start({ dataDir: join(dir, 'file') }));
    expect(failure).toEqual({ code: 'internal', message });
    expect(failures.map((error) => error.message)).toEqual([message]);
  });

  it('is on disk, and nothing else is, once the gateway has stopped', async () => {
    const companies = start();
    await codeOf(companies);
    await companies.close();
    expect(await readdir(dir)).toEqual(['companies.db']);
  });

  it('has no secret in its file', async () => {
    key = new Secret('dart-key-0123456789');
    const companies = start();
    await codeOf(companies);
    await companies.close();
    expect(await readdir(dir)).toEqual(['companies.db']);
    expect(await readFile(join(dir, 'companies.db'), 'latin1')).not.toContain('dart-key');
  });
});
