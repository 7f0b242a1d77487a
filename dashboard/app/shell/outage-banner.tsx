import { Alert, Button, Group, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { checkAgain, useOutage } from '../outage.ts';
import classes from './shell.module.css';

/** Says that the gateway does not answer. When it answers again, everything on the page is loaded again. */
export function OutageBanner() {
  const { t } = useTranslation();
  const isOut = useOutage();
  useRefetchAfter(isOut);
  if (!isOut) return null;
  return (
    <Alert
      className={classes.banner}
      color="orange"
      icon={<IconPlugConnectedX aria-hidden />}
      title={t('outage.title')}
      role="alert"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">{t('outage.text')}</Text>
        <Button size="xs" variant="default" onClick={checkAgain}>
          {t('outage.again')}
        </Button>
      </Group>
    </Alert>
  );
}

function useRefetchAfter(isOut: boolean): void {
  const queries = useQueryClient();
  const wasOut = useRef(false);
  useEffect(() => {
    if (wasOut.current && !isOut) void queries.invalidateQueries();
    wasOut.current = isOut;
  }, [isOut, queries]);
}
