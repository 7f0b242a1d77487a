import { type Path, parsePointer, valueAt } from '../platform/kernel/json-pointer.ts';
import type { JudgeRefusal, KeyVerdict } from '../upstreams/payload/key-verdict.ts';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import { isTransient } from './result-code.ts';
import { SERVICE_KEY } from './service-key.ts';

/** Result codes of the portal (docs/contract.md#public-data-middleware). */
const PORTAL: ReadonlyMap<string, KeyVerdict> = new Map([
  ['20', 'not_applied'],
  ['21', 'key_invalid'],
  ['22', 'quota_used_up'],
  ['23', 'too_fast'],
  ['30', 'key_invalid'],
  ['31', 'key_expired'],
  ['32', 'address_refused'],
]);

/** Where a provider with a key of its own says why it refused, and what it says. */
interface Refusals {
  readonly at: Path;
  readonly verdicts: ReadonlyMap<string, KeyVerdict>;
}

const refusals = (pointer: string, verdicts: Readonly<Record<string, KeyVerdict>>): Refusals => ({
  at: parsePointer(pointer),
  verdicts: new Map(Object.entries(verdicts)),
});

const PROVIDERS: ReadonlyMap<string, Refusals> = new Map([
  [
    'DART_API_KEY',
    refusals('/status', {
      '010': 'key_invalid',
      '011': 'key_invalid',
      '012': 'address_refused',
      '020': 'quota_used_up',
      '800': 'upstream_unavailable',
      '901': 'key_expired',
    }),
  ],
  ['DATA4LIBRARY_API_KEY', refusals('/response/errCode', { '003': 'key_invalid' })],
  [
    'ECOS_API_KEY',
    refusals('/RESULT/CODE', {
      'INFO-100': 'key_invalid',
      'ERROR-500': 'upstream_unavailable',
      'ERROR-600': 'upstream_unavailable',
      'ERROR-601': 'upstream_unavailable',
      'ERROR-602': 'quota_used_up',
    }),
  ],
  ['HRFCO_SERVICE_KEY', refusals('/code', { '401': 'key_invalid', '429': 'quota_used_up' })],
  [
    'KOFIC_API_KEY',
    refusals('/faultInfo/errorCode', {
      '320010': 'key_invalid',
      '320011': 'quota_used_up',
    }),
  ],
  ['KOPIS_API_KEY', refusals('/dbs/db/0/returncode', { '02': 'key_invalid' })],
  ['KOREAEXIM_API_KEY', refusals('/0/result', { '3': 'key_invalid', '4': 'quota_used_up' })],
  [
    'KOSIS_API_KEY',
    refusals('/err', {
      '10': 'key_invalid',
      '11': 'key_invalid',
      '40': 'quota_used_up',
      '42': 'key_invalid',
      '50': 'upstream_unavailable',
    }),
  ],
  [
    'OPINET_API_KEY',
    refusals('/RESULT', {
      'Invalid Key': 'key_invalid',
      'Limit Exceeded': 'quota_used_up',
    }),
  ],
]);

/** Largest response that is read for a reason, in bytes. Refusals are short. */
const MAX_REFUSAL_BYTES = 16 * 1024;

/** Says what a Korean provider's refusal means for its key. The portal refuses by a code, or by status alone. */
export const judgeRefusal: JudgeRefusal = (keyName, response) => {
  const { status, publicData } = response;
  if (keyName === SERVICE_KEY) {
    const code = publicData && portalVerdict(publicData.code);
    // Its gateway answers 403 until the dataset is granted, and 401 for a key that it does not know.
    return code ?? (status === 403 ? 'not_applied' : undefined);
  }
  const provider = PROVIDERS.get(keyName);
  return provider?.verdicts.get(String(reasonAt(provider.at, response)).trim());
};

function portalVerdict(code: string): KeyVerdict | undefined {
  const short = /^0\d\d$/.test(code) ? code.slice(1) : code;
  return PORTAL.get(short) ?? (isTransient(short) ? 'upstream_unavailable' : undefined);
}

function reasonAt(path: Path, { json }: UpstreamResponse): unknown {
  if (json.length > MAX_REFUSAL_BYTES) return undefined;
  const payload: unknown = JSON.parse(json.toString());
  // A tool that returns a single row has an object in place of the list.
  return valueAt(payload, path) ?? valueAt(payload, withoutIndex(path));
}

const withoutIndex = (path: Path): Path => path.filter((token) => token !== '0');
