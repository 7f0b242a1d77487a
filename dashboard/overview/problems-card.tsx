import { Group, Text, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconApi,
  IconBuilding,
  IconCircleCheck,
  IconGauge,
  IconKey,
  IconShieldLock,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import { useCauseName } from '../shared/outcome.tsx';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import {
  LostCalls,
  type Problem,
  RepairAction,
  Since,
  type useTenantProblems,
} from '../shared/problems.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import classes from './overview.module.css';

interface ProblemsCardProps {
  readonly query: Pick<ReturnType<typeof useTenantProblems>, 'data' | 'error' | 'refetch'>;
}

/** The problems, the most urgent first; one quiet line if there are none. */
export function ProblemsCard({ query: { data, error, refetch } }: ProblemsCardProps) {
  const { t } = useTranslation('overview');
  if (error && !data) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return null;
  if (data.problems.length === 0) {
    return (
      <Group gap={6}>
        <IconCircleCheck size={18} color="var(--outcome-ok)" aria-hidden />
        <Hint>{t('problems.none')}</Hint>
      </Group>
    );
  }
  return (
    <section className={classes.card} aria-label={t('problems.title')}>
      <Title order={2} size="h5" mb="xs">
        {t('problems.title')}
      </Title>
      <ul className={classes.problems}>
        {data.problems.map((problem) => (
          <ProblemRow key={`${problem.kind} ${problem.id} ${keyOf(problem)}`} problem={problem} />
        ))}
      </ul>
    </section>
  );
}

/** One key may have several problems, and so may one API. */
const keyOf = ({ cause, repair, dataset }: Problem): string => `${cause} ${repair} ${dataset}`;

const ICONS = {
  tool: IconAlertTriangle,
  api: IconApi,
  provider_key: IconShieldLock,
  quota: IconGauge,
  api_key: IconKey,
  tenant: IconBuilding,
} as const;

function ProblemRow({ problem }: { readonly problem: Problem }) {
  const { t } = useTranslation('overview');
  const { kind, since, endsAt, calls, cause } = problem;
  const Icon = ICONS[kind];
  const isLost = calls > 0 || cause !== null;
  return (
    <li className={classes.problem}>
      <Icon
        size={18}
        aria-hidden
        color={isLost ? 'var(--outcome-gateway)' : 'var(--outcome-caller)'}
      />
      <div>
        <Subject problem={problem} /> <What problem={problem} />
      </div>
      <Group gap="0 1rem" className={classes.rest}>
        {since && <Since at={since} />}
        <LostCalls problem={problem} isMeant={ALL} />
        {kind === 'quota' && endsAt && (
          <Text span inherit c="dimmed">
            <RelativeTime at={endsAt} say={(ago) => t('problems.resets', { ago })} />
          </Text>
        )}
        <RepairAction {...problem} />
      </Group>
    </li>
  );
}

const ALL = () => true;

/** What has the problem, with the way to its page. */
function Subject({ problem: { kind, id, name, tools } }: { readonly problem: Problem }) {
  const look = { inherit: true, fw: 600, c: 'inherit', underline: 'always' } as const;
  const [tool] = tools;
  if (kind === 'api') {
    return (
      <LinkAnchor to="/admin/apis/$api" params={{ api: id }} {...look}>
        {name}
      </LinkAnchor>
    );
  }
  if (kind === 'tool' && tools.length === 1 && tool) {
    return (
      <LinkAnchor to="/admin/catalogue/$tool" params={{ tool: tool.name }} {...look}>
        {name}
      </LinkAnchor>
    );
  }
  return (
    <Text span inherit fw={600}>
      {name}
    </Text>
  );
}

/** What is wrong, in words. */
function What({ problem }: { readonly problem: Problem }) {
  const { t } = useTranslation('overview');
  const nameOf = useCauseName();
  const { kind, cause, status, repair, percent, endsAt, dataset, datasets, toolCount } = problem;
  if (kind === 'api_key' && endsAt) {
    return <RelativeTime at={endsAt} say={(ago) => t('problems.ends', { ago })} />;
  }
  const wrong = [
    repair === 'extend' ? t('problems.ended') : cause && nameOf(cause, status),
    percent !== null && cause === null && t('problems.used', { percent }),
    dataset ?? (datasets > 1 && t('problems.datasets', { count: datasets })),
    (kind === 'tenant' || toolCount > 1) && t('problems.tools', { count: toolCount }),
  ];
  return wrong.filter(Boolean).join(' · ');
}
