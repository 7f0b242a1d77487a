import { Button, Group, List, ThemeIcon, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerson } from '../session/session.ts';
import { LinkAnchor } from '../shared/buttons.tsx';
import { Hint } from '../shared/page.tsx';
import { STEPS, type Step, stepsDone } from './first-steps.ts';
import classes from './overview.module.css';
import { firstStepsQuery } from './overview-queries.ts';

/** What the tenant does first, until it is done or dismissed. Only tenants that had no calls when they came see it. */
export function FirstSteps({ tenant }: { readonly tenant: string }) {
  const { t } = useTranslation('overview');
  const [shown, setShown] = useLocalStorage<'open' | 'dismissed' | null>({
    key: `tool-gateway-first-steps:${tenant}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const isDismissed = shown === 'dismissed';
  const { data } = useQuery({ ...firstStepsQuery(tenant), enabled: !isDismissed });
  const done = data && stepsDone(data);
  const isFirst = data?.calls === 0;
  useEffect(() => {
    if (isFirst && shown === null) setShown('open');
  }, [isFirst, shown, setShown]);
  if (!done || isDismissed || STEPS.every((step) => done[step])) return null;
  if (!isFirst && shown !== 'open') return null;
  return (
    <section className={classes.card} aria-label={t('steps.title')}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          {t('steps.title')}
        </Title>
        <Button size="xs" variant="subtle" onClick={() => setShown('dismissed')}>
          {t('steps.dismiss')}
        </Button>
      </Group>
      <List spacing="xs" size="sm" center>
        {STEPS.map((step) => (
          <StepItem key={step} step={step} isDone={done[step]} />
        ))}
      </List>
    </section>
  );
}

/** Its state is said in words, too; what is not done is a link to where it is done. */
function StepItem({ step, isDone }: { readonly step: Step; readonly isDone: boolean }) {
  const { t } = useTranslation('overview');
  const isOperator = usePerson()?.isOperator ?? false;
  const Icon = isDone ? IconCheck : IconCircleDashed;
  const providerKeys = isOperator ? '/admin/settings/provider-keys' : '/admin/settings/own-keys';
  const places = {
    providerKey: providerKeys,
    key: '/admin/settings/keys',
    call: '/admin/catalogue',
    client: '/admin/connect',
    people: '/admin/settings/members',
  } as const;
  return (
    <List.Item
      icon={
        <ThemeIcon size={22} radius="xl" variant="light" color={isDone ? 'celadon' : 'gray'}>
          <Icon size={14} aria-hidden />
        </ThemeIcon>
      }
    >
      {isDone ? (
        <Hint component="span">
          {t(`steps.${step}`)} · {t('steps.done')}
        </Hint>
      ) : (
        <LinkAnchor to={places[step]} size="sm">
          {t(`steps.${step}`)}
        </LinkAnchor>
      )}
    </List.Item>
  );
}
