import { Anchor, Group } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, ask } from '../api/call-admin.ts';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { LinkAnchor } from './buttons.tsx';
import { useFormat } from './use-format.ts';

export type FailingTool = AdminAnswer<'GET /tenants/:tenant/failing'>['tools'][number];
type Cause = FailingTool['cause'];

const failingQuery = (tenant: string | null) =>
  queryOptions({
    queryKey: ['failing', tenant],
    queryFn: ask('GET /tenants/:tenant/failing', { tenant: tenant ?? '' }),
    enabled: tenant !== null,
    staleTime: 10_000,
  });

/** The tools that fail for a tenant; none while they are loaded, and for visitors. */
export const useFailing = (tenant: string | null): readonly FailingTool[] =>
  useQuery(failingQuery(tenant)).data?.tools ?? [];

/** Causes that the status of the upstream says shortest. */
const SAID_BY_STATUS: readonly Cause[] = ['operator_key', 'rate', 'upstream'];

interface FailingNoticeProps {
  readonly failing: FailingTool | undefined;
  /** Where several tools may fail. */
  readonly withTool?: boolean;
}

/** Says since when and why a tool fails, and what repairs it; nothing for one that does not. */
export function FailingNotice({ failing, withTool = false }: FailingNoticeProps) {
  const { t } = useTranslation('shared');
  const { moment } = useFormat();
  if (!failing) return null;
  const { tool, cause, status, since } = failing;
  const hasStatus = status !== null && status >= 400 && SAID_BY_STATUS.includes(cause);
  const what = hasStatus ? String(status) : t(`failing.cause.${cause}`);
  const said = t('failing.title', { what, time: moment(since) });
  return (
    <Group gap={6} align="flex-start" wrap="nowrap" fz="sm">
      <IconAlertTriangle size={16} aria-hidden color="var(--outcome-gateway)" style={ICON} />
      <span>
        {withTool ? `${tool}: ${said}` : said} <Repair {...failing} />
      </span>
    </Group>
  );
}

const ICON = { flex: 'none', marginTop: '0.15rem' } as const;
/** Above the link that a whole card is. */
const ABOVE = { position: 'relative', zIndex: 1 } as const;

interface RepairProps {
  readonly toolId: string;
  readonly cause: Cause;
  readonly resetsAt?: string | null;
  readonly applyUrl?: string | null;
}

/** What repairs a failure: a link to where it is done, or who must do it. */
export function Repair({ toolId, cause, resetsAt = null, applyUrl = null }: RepairProps) {
  const { t } = useTranslation('shared');
  const { moment } = useFormat();
  switch (cause) {
    case 'operator_key':
      return <KeyRepair toolId={toolId} />;
    case 'not_approved':
      if (applyUrl === null) return <KeyRepair toolId={toolId} />;
      return (
        <Anchor href={applyUrl} target="_blank" rel="noreferrer" style={ABOVE} inherit>
          {t('repair.apply')}
        </Anchor>
      );
    case 'quota':
      return resetsAt && t('repair.quota', { time: moment(resetsAt) });
    case 'rate':
      return t('repair.rate');
    default:
      return t('repair.down');
  }
}

/** Leads to the credential that the upstream refuses: of the tenant's API, the tenant's provider key, or the operator's. */
function KeyRepair({ toolId }: { readonly toolId: string }) {
  const { t } = useTranslation('shared');
  const tenant = useTenantInUse();
  const isOperator = usePerson()?.isOperator ?? false;
  const api = useOwnApi(tenant?.slug ?? '', toolId);
  const look = { style: ABOVE, inherit: true } as const;
  if (toolId.startsWith('@') && api?.auth.type !== 'provider_key') {
    if (!api || !tenant?.canChange) return t('repair.askAdmin');
    return (
      <LinkAnchor to="/admin/apis/$api" params={{ api: api.id }} search={SETTINGS} {...look}>
        {t('repair.credential')}
      </LinkAnchor>
    );
  }
  if (isOperator && !api) {
    return (
      <LinkAnchor to="/admin/settings/provider-keys" {...look}>
        {t('repair.providerKey')}
      </LinkAnchor>
    );
  }
  if (!tenant?.canChange) return t('repair.askAdmin');
  return (
    <LinkAnchor to="/admin/settings/own-keys" {...look}>
      {t('repair.ownKey')}
    </LinkAnchor>
  );
}

const SETTINGS = { part: 'settings' } as const;

/** As many as a tenant may have. */
const MAX_APIS = 100;

/** The API of the tenant to which a tool belongs, if it does. */
function useOwnApi(tenant: string, toolId: string) {
  const { data } = useQuery({
    queryKey: ['apis', tenant, 'all'],
    queryFn: ask('GET /tenants/:tenant/registrations', { tenant, limit: MAX_APIS }),
    enabled: isOfTenant(toolId, tenant),
    staleTime: 60_000,
  });
  return data?.registrations.find(({ slug }) => isOfApi({ toolId }, { tenant, slug }));
}

const isOfTenant = (toolId: string, tenant: string): boolean => toolId.startsWith(`@${tenant}.`);

interface OwnApi {
  readonly tenant: string;
  readonly slug: string;
}

/** Whether a tool belongs to a registered API. */
export const isOfApi = (
  { toolId }: Pick<FailingTool, 'toolId'>,
  { tenant, slug }: OwnApi,
): boolean => toolId.startsWith(`@${tenant}.${slug}.`);
