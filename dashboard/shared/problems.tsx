import { Anchor, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ORIGIN_OF_CAUSE } from '../../src/audit/record/failure-origin.ts';
import { type AdminAnswer, ask } from '../api/call-admin.ts';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { useLanguage } from '../texts/language.ts';
import { LinkAnchor } from './buttons.tsx';
import { useCauseName } from './outcome.tsx';
import { RelativeTime } from './relative-time.tsx';
import { useFormat } from './use-format.ts';

export type Problem = AdminAnswer<'GET /tenants/:tenant/problems'>['problems'][number];
type Cause = NonNullable<Problem['cause']>;

const REFRESH = { staleTime: 10_000, refetchInterval: 30_000 } as const;

const tenantQuery = (tenant: string | null, lang: 'en' | 'ko') =>
  queryOptions({
    queryKey: ['problems', tenant, lang],
    queryFn: ask('GET /tenants/:tenant/problems', { tenant: tenant ?? '', lang }),
    enabled: tenant !== null,
    ...REFRESH,
  });

const gatewayQuery = (isOperator: boolean, lang: 'en' | 'ko') =>
  queryOptions({
    queryKey: ['problems', 'of the gateway', lang],
    queryFn: ask('GET /problems', { lang }),
    enabled: isOperator,
    ...REFRESH,
  });

/** The problems of a tenant; of none, such as a visitor's, there are none. */
export const useTenantProblems = (tenant: string | null) =>
  useQuery(tenantQuery(tenant, useLanguage()));

/** The problems of the gateway as a whole, for operators. */
export const useGatewayProblems = (isShown = true) => {
  const isOperator = usePerson()?.isOperator ?? false;
  return useQuery(gatewayQuery(isOperator && isShown, useLanguage()));
};

/** The same without the state of the question: none while they are loaded. */
export const useProblems = (tenant: string | null): readonly Problem[] =>
  useTenantProblems(tenant).data?.problems ?? [];

type LostTool = Problem['tools'][number];

/** The first problem because of which such a tool fails. */
export const problemWith = (
  problems: readonly Problem[],
  isMeant: (tool: LostTool) => boolean,
): Problem | undefined => problems.find(({ tools }) => tools.some(isMeant));

export interface OwnApi {
  readonly tenant: string;
  readonly slug: string;
}

/** Whether a tool belongs to a registered API. */
export const isOfApi = ({ id }: Pick<LostTool, 'id'>, { tenant, slug }: OwnApi): boolean =>
  id.startsWith(`@${tenant}.${slug}.`);

/** Above the link that a whole card is. */
const ABOVE = { position: 'relative', zIndex: 1 } as const;
const LOOK = { style: ABOVE, inherit: true } as const;
const ICON = { flex: 'none', marginTop: '0.15rem' } as const;

interface ProblemNoticeProps {
  readonly problem: Problem | undefined;
  /** Only these of its tools. */
  readonly isMeant?: (tool: LostTool) => boolean;
}

/** Says that something fails, why, since when, with the way to its calls and to the repair; nothing if it does not. */
export function ProblemNotice({ problem, isMeant = () => true }: ProblemNoticeProps) {
  const nameOf = useCauseName();
  if (!problem) return null;
  const { cause, status, since } = problem;
  return (
    <Group gap={6} align="flex-start" wrap="nowrap" fz="sm" fw={400}>
      <IconAlertTriangle size={16} aria-hidden color="var(--outcome-gateway)" style={ICON} />
      <Group gap="0 0.6rem">
        <span>
          <Failing /> {cause && nameOf(cause, status)}
        </span>
        {since && <Since at={since} />}
        <LostCalls problem={problem} isMeant={isMeant} />
        <RepairAction {...problem} />
      </Group>
    </Group>
  );
}

/** The word, in red. */
export function Failing() {
  const { t } = useTranslation('shared');
  return (
    <Text span inherit fw={600} c="var(--outcome-gateway)">
      {t('problem.failing')}
    </Text>
  );
}

/** Since when, as seen from now. */
export function Since({ at }: { readonly at: string }) {
  const { t } = useTranslation('shared');
  return (
    <Text span inherit c="dimmed">
      <RelativeTime at={at} say={(ago) => t('problem.since', { ago })} />
    </Text>
  );
}

/** Tools whose calls a problem leads to. */
const MAX_LINKS = 3;

interface LostCallsProps extends Required<Pick<ProblemNoticeProps, 'isMeant'>> {
  readonly problem: Problem;
}

/** How many calls were lost, with links to exactly these in the audit log. */
export function LostCalls({ problem: { tools, cause, calls }, isMeant }: LostCallsProps) {
  const { t } = useTranslation('shared');
  const { count } = useFormat();
  const tenant = useTenantInUse();
  const meant = tools.filter(isMeant);
  const [first] = meant;
  const lost = (of: number) => t('problem.calls', { count: of, formatted: count(of) });
  if (!first || !cause || !tenant) return calls > 0 && <span>{lost(calls)}</span>;
  const link = (tool: LostTool, text: string) => (
    <LinkAnchor
      key={tool.id}
      to="/admin/audit"
      search={{ tool: tool.name, from: tool.since, origin: ORIGIN_OF_CAUSE[cause] } as never}
      {...LOOK}
    >
      {text}
    </LinkAnchor>
  );
  if (meant.length === 1) return link(first, lost(first.calls));
  const rest = meant.length - MAX_LINKS;
  return (
    <Group gap="0 0.6rem">
      <span>{lost(meant.reduce((sum, tool) => sum + tool.calls, 0))}:</span>
      {meant.slice(0, MAX_LINKS).map((tool) => link(tool, `${tool.name} ${count(tool.calls)}`))}
      {rest > 0 && <span>{t('problem.more', { count: rest })}</span>}
    </Group>
  );
}

type RepairProps = Pick<Problem, 'repair' | 'by' | 'id' | 'providerKey'> &
  Partial<Pick<Problem, 'cause' | 'applyUrl' | 'endsAt'>>;

/** What repairs a problem: a link to where it is done, or who must do it. */
export function RepairAction(problem: RepairProps) {
  const { t } = useTranslation('shared');
  const { moment } = useFormat();
  const { repair, by, id, cause, applyUrl, endsAt } = problem;
  const canChange = useTenantInUse()?.canChange ?? false;
  const isOperator = usePerson()?.isOperator ?? false;
  const isShown = useParams({ strict: false }).api === id;
  const isMine = by === 'operator' ? isOperator : canChange;
  switch (repair) {
    case 'wait':
      if (endsAt) return t('repair.quota', { time: moment(endsAt) });
      return t(cause === 'rate' ? 'repair.rate' : 'repair.down');
    case 'look':
      return (
        <LinkAnchor to="/admin/overview" search={{ tenant: id } as never} {...LOOK}>
          {t('repair.look')}
        </LinkAnchor>
      );
    case 'check_api':
      if (isShown) return null;
      return (
        <LinkAnchor to="/admin/apis/$api" params={{ api: id }} {...LOOK}>
          {t('repair.checkApi')}
        </LinkAnchor>
      );
    case 'renew':
      return (
        <LinkAnchor to="/admin/settings/keys/$key" params={{ key: id }} {...LOOK}>
          {t(isMine ? 'repair.renew' : 'repair.seeApiKey')}
        </LinkAnchor>
      );
    case 'replace_credential':
      if (!isMine) return t('repair.askAdmin');
      return (
        <LinkAnchor to="/admin/apis/$api" params={{ api: id }} search={SETTINGS} {...LOOK}>
          {t('repair.credential')}
        </LinkAnchor>
      );
    default:
      if (!isMine || !applyUrl || repair === 'replace_key') return <KeyRepair {...problem} />;
      return (
        <Anchor href={applyUrl} target="_blank" rel="noreferrer" {...LOOK}>
          {t(`repair.${repair}`)}
        </Anchor>
      );
  }
}

const SETTINGS = { part: 'settings' } as never;

/** Leads to the provider key: the operator's for operators, else the tenant's, which may replace the operator's. */
function KeyRepair({ by, repair, providerKey }: RepairProps) {
  const { t } = useTranslation('shared');
  const canChange = useTenantInUse()?.canChange ?? false;
  const isOperator = usePerson()?.isOperator ?? false;
  const link = { ...LOOK, hash: (providerKey ?? undefined) as never };
  const change = t(repair === 'replace_key' ? 'repair.providerKey' : 'repair.seeKey');
  if (by === 'operator' && isOperator) {
    return (
      <LinkAnchor to="/admin/settings/provider-keys" {...link}>
        {change}
      </LinkAnchor>
    );
  }
  if (!canChange) return t(by === 'operator' ? 'repair.askOperator' : 'repair.askAdmin');
  return (
    <LinkAnchor to="/admin/settings/own-keys" {...link}>
      {by === 'operator' ? t('repair.ownKey') : change}
    </LinkAnchor>
  );
}

interface FailedCallProps {
  readonly toolId: string;
  readonly cause: Cause;
}

/** What repairs a single failed call, whether or not its tool fails now. */
export function Repair({ toolId, cause }: FailedCallProps) {
  const tenant = useTenantInUse()?.slug ?? '';
  const isOwn = toolId.startsWith('@');
  const api = useOwnApi(tenant, toolId);
  const id = api?.id ?? '';
  if (ORIGIN_OF_CAUSE[cause] === 'upstream') {
    const repair = api && cause !== 'rate' ? 'check_api' : 'wait';
    return <RepairAction repair={repair} by="admin" id={id} providerKey={null} cause={cause} />;
  }
  const hasCredential = api ? api.auth.type !== 'provider_key' : isOwn;
  const repair = hasCredential ? 'replace_credential' : 'replace_key';
  return (
    <RepairAction repair={repair} by={isOwn ? 'admin' : 'operator'} id={id} providerKey={null} />
  );
}

/** As many as a tenant may have. */
const MAX_APIS = 100;

/** The API of the tenant to which a tool belongs, if it does. */
function useOwnApi(tenant: string, toolId: string) {
  const { data } = useQuery({
    queryKey: ['apis', tenant, 'all'],
    queryFn: ask('GET /tenants/:tenant/registrations', { tenant, limit: MAX_APIS }),
    enabled: toolId.startsWith(`@${tenant}.`),
    staleTime: 60_000,
  });
  return data?.registrations.find(({ slug }) => isOfApi({ id: toolId }, { tenant, slug }));
}
