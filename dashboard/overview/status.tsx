import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './overview.module.css';
import { type Status as StatusAnswer, statusQuery } from './overview-queries.ts';

/** What the gateway depends on, and the upstreams to which requests are paused. */
export function Status({ tenant }: { readonly tenant: string | null }) {
  const { t } = useTranslation('overview');
  const { data, error, refetch } = useQuery(statusQuery(tenant));
  return (
    <section className={classes.card}>
      <Title order={2} size="h5" mb="xs">
        {t('status.title')}
      </Title>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && (data ? <Parts status={data} /> : <Skeleton height={96} />)}
    </section>
  );
}

function Parts({ status }: { readonly status: StatusAnswer }) {
  const { t } = useTranslation('overview');
  const { duration } = useFormat();
  return (
    <Stack gap="xs">
      {status.dependencies.map(({ name, backend, status: state, latencyMs }) => (
        <Group key={name} justify="space-between" wrap="nowrap">
          <Text size="sm">
            {t(name === 'database' ? 'status.database' : 'status.redis')} ({backend})
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Text size="xs" c="dimmed">
              {duration(latencyMs)}
            </Text>
            <State colour={state === 'healthy' ? 'ok' : 'gateway'} label={t(`status.${state}`)} />
          </Group>
        </Group>
      ))}
      {status.circuits.map(({ origin, circuit }) => (
        <Group key={origin} justify="space-between" wrap="nowrap">
          <Text size="sm">{origin}</Text>
          <State
            colour={circuit === 'open' ? 'gateway' : 'caller'}
            label={t(circuit === 'open' ? 'status.open' : 'status.halfOpen')}
          />
        </Group>
      ))}
      {status.circuits.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('status.noCircuits', { count: status.upstreamsInUse })}
        </Text>
      )}
    </Stack>
  );
}

interface StateProps {
  readonly colour: 'ok' | 'caller' | 'gateway';
  readonly label: string;
}

/** A dot and a word: the word says it without the colour, and is legible on every page. */
const State = ({ colour, label }: StateProps) => (
  <Text size="sm" component="span">
    <span className={classes.dot} style={{ background: `var(--outcome-${colour})` }} aria-hidden />
    {label}
  </Text>
);
