import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ask, callAdmin } from '../api/call-admin.ts';
import type { ToolDetails } from '../playground/run-tool.ts';
import { LinkAnchor } from '../shared/buttons.tsx';
import { CallsLink } from '../shared/calls-link.tsx';
import { Facts } from '../shared/facts.tsx';
import { FiguresTable } from '../shared/figures-table.tsx';
import { FAILED, failuresOf } from '../shared/outcome.tsx';
import { Hint, Section } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';

/** Who provides the data, under which terms, and what the gateway needs and does to get it. */
export function ToolFacts({ tool }: { readonly tool: ToolDetails }) {
  const { t, i18n } = useTranslation('catalogue');
  const cacheTime = useCacheTime();
  const { server, cacheTtlSeconds: ttl, quota, personal } = tool;
  return (
    <Stack gap="sm">
      <Facts
        facts={{
          [t('facts.provider')]: (
            <>
              {server.name}
              <Outside href={server.documentation}>{t('facts.documentation')}</Outside>
            </>
          ),
          [t('facts.secret')]: <Secrets secrets={tool.secrets} />,
          [t('facts.cache')]:
            ttl === 0 ? t('facts.notCached') : t('facts.cachedFor', { time: cacheTime(ttl) }),
          [t('facts.quota')]:
            quota &&
            t(`facts.quotaOf.${quota.scope}`, {
              calls: quota.calls.toLocaleString(i18n.language),
            }),
          [t('facts.request')]: (
            <Text span size="sm" ff="monospace">
              {tool.method} {tool.path}
            </Text>
          ),
          [t('facts.license')]: (server.license || server.termsOfService) && (
            <>
              {server.license}
              <Outside href={server.termsOfService}>{t('facts.terms')}</Outside>
            </>
          ),
          [t('facts.personal')]:
            personal.length > 0 && t('facts.personalNote', { names: personal.join(', ') }),
        }}
      />
      {server.description && <Text size="sm">{server.description}</Text>}
    </Stack>
  );
}

/** A page of somebody else, which learns nothing of this one; nothing without an address. */
const Outside = ({ href, children }: { readonly href: string | null; readonly children: string }) =>
  href && (
    <Anchor href={href} target="_blank" rel="noopener noreferrer" size="sm" display="block">
      {children}
    </Anchor>
  );

function Secrets({ secrets }: Pick<ToolDetails, 'secrets'>) {
  const { t } = useTranslation('catalogue');
  if (secrets.length === 0) return t('facts.noSecret');
  return secrets.map(({ name, description, isSet }) => (
    <div key={name}>
      {t(stateOf(isSet), { name })}
      {description && <Hint size="xs">{description}</Hint>}
    </div>
  ));
}

function stateOf(isSet: boolean | null) {
  if (isSet === null) return 'facts.secretNeeded';
  return isSet ? 'facts.secretSet' : 'facts.secretMissing';
}

const UNITS = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const;

/** Writes a time to live in the largest unit that divides it. */
function useCacheTime(): (seconds: number) => string {
  const { t } = useTranslation('catalogue');
  return (seconds) => {
    const [unit, size] = UNITS.find(([, length]) => seconds % length === 0) ?? ['seconds', 1];
    return t(`facts.${unit}`, { count: seconds / size });
  };
}

/** How the tenant's calls of a tool went in the last 24 hours. */
export function ToolStatistics({ tenant, tool }: { tenant: string; tool: string }) {
  const { t } = useTranslation('catalogue');
  const format = useFormat();
  const { data } = useQuery({
    queryKey: ['statistics', tenant, 'tool', tool],
    queryFn: ask('GET /tenants/:tenant/statistics/tools/:tool', { tenant, tool }),
  });
  if (!data) return null;
  const figures = data.summary?.lastDay;
  if (!figures || figures.calls === 0) {
    return <Section title={t('tool.statistics')}>{t('statistics.none')}</Section>;
  }
  const share = (value: number | null) => (value === null ? '–' : format.percent(value));
  const time = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  return (
    <Section title={t('tool.statistics')} note={t('statistics.lastDay')}>
      <Facts
        facts={{
          [t('statistics.calls')]: (
            <LinkAnchor to="/admin/audit" search={{ tool }} size="sm">
              {format.count(figures.calls)}
            </LinkAnchor>
          ),
          [t('statistics.failures')]: (
            <CallsLink calls={{ tool, ...FAILED }}>
              {share(failuresOf(figures) / figures.calls)}
            </CallsLink>
          ),
          [t('statistics.p50')]: time(figures.p50Ms),
          [t('statistics.p95')]: time(figures.p95Ms),
          [t('statistics.cache')]: share(figures.cacheRatio),
          [t('statistics.last')]: figures.lastCallMs !== null && (
            <RelativeTime at={figures.lastCallMs} />
          ),
        }}
      />
    </Section>
  );
}

const CALLERS = 20;
const PERIOD_MS = 30 * 86_400_000;

/** The keys and people that called a tool most in the last 30 days. */
export function ToolCallers({ tenant, tool }: { tenant: string; tool: string }) {
  const { t } = useTranslation('catalogue');
  const from = new Date(Date.now() - PERIOD_MS).toISOString();
  const callers = useQuery({
    queryKey: ['statistics', tenant, 'callers', tool],
    queryFn: ({ signal }) => {
      const question = { tenant, tool, from, by: 'key', top: CALLERS } as const;
      return callAdmin('GET /tenants/:tenant/statistics/totals', question, { signal });
    },
  });
  return (
    <Section title={t('tool.callers')} note={t('statistics.lastMonth')}>
      <FiguresTable
        label={t('tool.callers')}
        query={callers}
        groups={callers.data?.groups}
        calls={({ subject }) => ({ tool, key: subject ?? '', from })}
        name={({ subject, name }) =>
          subject?.startsWith('key_') ? (
            <LinkAnchor to="/admin/settings/keys/$key" params={{ key: subject }} size="sm">
              {name ?? subject}
            </LinkAnchor>
          ) : (
            (name ?? subject)
          )
        }
      />
    </Section>
  );
}
