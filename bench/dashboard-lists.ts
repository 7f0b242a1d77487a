import type { AdminClient } from '../test/support/admin-client.ts';
import { expectOk, type Subject, TENANT } from './dashboard-data.ts';

/** Something that the dashboard shows, with the path and query of its request. */
export interface DashboardList {
  readonly title: string;
  readonly path: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Every list of the dashboard, with the filters that cost most. */
export async function dashboardLists(
  admin: AdminClient,
  subject: Subject,
): Promise<DashboardList[]> {
  const nowMs = Date.now();
  const paths = [
    ...accountPaths(),
    ...auditPaths(subject, nowMs),
    ...keyPaths(),
    ...toolPaths(subject),
    ...statisticsPaths(nowMs),
  ];
  const next = await nextPages(admin, [`${OWN}/audit`, `${OWN}/keys`, `${OWN}/trail`]);
  return [...paths, ...next].map((path) => ({ path, title: titleOf(path, nowMs) }));
}

const OWN = `/tenants/${TENANT}`;

const accountPaths = (): string[] => [
  ...['/home', '/session', '/me', '/me/sessions', '/connect?origin=http://localhost'],
  ...['/tenants', '/people', '/trail', '/trail?limit=100', '/provider-keys'],
  ...['members', 'invitations', 'trail', 'trail?action=key.created'].map(own),
];

function auditPaths({ toolName, apiKeyId }: Subject, nowMs: number): string[] {
  const filters = [
    ...['limit=50', 'limit=200', 'status=ok', 'status=error', 'error=upstream_timeout'],
    ...['cacheStatus=MISS', 'upstreamStatus=2xx', `tool=${toolName}`, `key=${apiKeyId}`],
    // These find nothing, and therefore search everything that they may.
    ...['upstreamStatus=5xx', 'tool=nothing', 'key=nothing', 'client=nothing', 'requestId=nothing'],
    ...['error=internal', 'cacheStatus=STALE', `tool=${toolName}&client=nothing`],
    ...[7, 30].map((days) => `key=nothing&from=${iso(nowMs - days * DAY_MS)}`),
  ];
  return [own('audit/names'), ...filters.map((filter) => own(`audit?${filter}`))];
}

const keyPaths = (): string[] => [
  ...['limit=50', 'limit=100', 'q=key+99', 'q=nothing', 'state=active', 'state=revoked'].map(
    (query) => own(`keys?${query}`),
  ),
  ...['never_used', 'unused_90_days', 'unlimited', 'all_tools'].map((concern) =>
    own(`keys?concern=${concern}`),
  ),
  ...['keys/hygiene', 'key-tools'].map(own),
];

const toolPaths = ({ toolName }: Subject): string[] => [
  ...['/catalogue', '/catalogue?q=weather&limit=200'],
  ...['', '?limit=200', '?q=weather', `?q=${encodeURIComponent('날씨')}`, '?q=thing&limit=200'].map(
    (query) => own(`catalogue${query}`),
  ),
  own('catalogue?source=registered&limit=200'),
  own(`catalogue/${toolName}`),
  ...['registrations', 'registrations?limit=100', 'registration-jobs?limit=100'].map(own),
];

function statisticsPaths(nowMs: number): string[] {
  const queryOf = (by: string, days: number) => {
    const top = by === 'none' ? 5 : 20;
    return `by=${by}&top=${top}&from=${iso(nowMs - days * DAY_MS)}&to=${iso(nowMs)}`;
  };
  const figures = (base: string, groups: readonly string[]) =>
    ['series', 'totals'].flatMap((kind) =>
      groups.flatMap((by) =>
        [0.25, 1, 8, 14, 30].map((days) => `${base}/statistics/${kind}?${queryOf(by, days)}`),
      ),
    );
  return [
    ...figures(OWN, ['none', 'tool', 'key', 'upstream']),
    ...figures('', ['none', 'tool', 'key', 'upstream', 'tenant']),
    ...['/statistics/quota', '/statistics/status', own('statistics/status')],
  ];
}

/** The second pages of lists. */
async function nextPages(admin: AdminClient, paths: readonly string[]): Promise<string[]> {
  const next = paths.map(async (path) => {
    const { nextCursor } = await expectOk(admin.ask(`GET ${path}`));
    return nextCursor ? [`${path}?cursor=${encodeURIComponent(nextCursor)}`] : [];
  });
  return (await Promise.all(next)).flat();
}

const own = (path: string): string => `${OWN}/${path}`;
const iso = (ms: number): string => new Date(ms).toISOString();

/** The path as people read it: times as their distance from now, without what all have. */
function titleOf(path: string, nowMs: number): string {
  return decodeURIComponent(path)
    .replace(OWN, '')
    .replace(`&to=${iso(nowMs)}`, '')
    .replace(/from=([^&]+)/, (_, from) => `${(nowMs - Date.parse(from)) / HOUR_MS} h`)
    .replace(/cursor=.*/, 'next page')
    .concat(path.startsWith(OWN) ? '' : ' (all tenants)');
}
