import { Alert, Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { icon } from '../shared/buttons.tsx';
import { Facts } from '../shared/facts.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { RangeCost, RpcResult } from './run-tool.ts';

interface RangeCostPanelProps {
  readonly cost: RangeCost;
  readonly onGoOn: () => void;
}

/** What a long range would cost, and a way to go on if there is room for it. */
export function RangeCostPanel({ cost, onGoOn }: RangeCostPanelProps) {
  const { t } = useTranslation('playground');
  const { count } = useFormat();
  const { units, requests, cached, left, maxRequests, fits } = cost;
  return (
    <Stack gap="sm" role="status">
      <Text fw={600}>{t('range.cost.title')}</Text>
      <Facts
        look="line"
        label={t('range.cost.title')}
        facts={{
          [t('range.units')]: count(units),
          [t('range.cost.requests')]: t('range.cost.atLeast', { count: requests }),
          [t('range.cost.cached')]: cached > 0 && count(cached),
          [t('range.cost.day')]: left.day !== null && count(left.day),
          [t('range.cost.quota')]: left.quota !== null && count(left.quota),
        }}
      />
      {fits ? (
        <Group>
          <Button onClick={onGoOn} leftSection={icon(IconPlayerPlay)}>
            {t('range.cost.goOn')}
          </Button>
        </Group>
      ) : (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
          {t('range.cost.tooMany', { count: maxRequests })}
        </Alert>
      )}
    </Stack>
  );
}

/** A range under way: its answer comes as a whole. */
export function RangeProgress({ onStop }: { readonly onStop: () => void }) {
  const { t } = useTranslation('playground');
  const { duration } = useFormat();
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Stack gap="sm">
      <Text fw={600} role="status">
        {t('range.running')}
      </Text>
      <Progress value={100} animated aria-label={t('range.running')} />
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="timer">
          {duration(seconds * 1000)}
        </Text>
        <Button size="xs" variant="default" onClick={onStop} leftSection={icon(IconPlayerStop)}>
          {t('range.cancel')}
        </Button>
      </Group>
    </Stack>
  );
}

/** Whether a range came whole, and the units that failed. */
export function RangeFacts({ complete, units }: Pick<RpcResult, 'complete' | 'units'>) {
  const { t } = useTranslation('playground');
  const { count } = useFormat();
  if (!units) return null;
  const { done, total, failed, failures = [] } = units;
  return (
    <>
      <Facts
        look="line"
        label={t('range.title')}
        facts={{
          [t('range.complete')]: t(complete ? 'range.yes' : 'range.no'),
          [t('range.units')]: t('range.doneOf', { done: count(done), total: count(total) }),
          [t('range.failed')]: failed > 0 && count(failed),
        }}
      />
      {failures.length > 0 && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t('range.failures')}>
          <List size="sm">
            {failures.map(({ unit, reason }) => {
              const name = Object.entries(unit)
                .map((pair) => pair.join('='))
                .join(', ');
              return (
                <List.Item key={name}>
                  <code>{name}</code> {reason}
                </List.Item>
              );
            })}
          </List>
        </Alert>
      )}
    </>
  );
}
