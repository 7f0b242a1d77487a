import { Accordion, Badge, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { ErrorAlert, Hint, PageHeader } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { KeyDatasets } from './key-datasets.tsx';
import { KeyOrigins } from './key-origins.tsx';
import classes from './provider-keys-page.module.css';
import {
  MAX_VALUE_LENGTH,
  type OwnKey,
  ownKeysQuery,
  statusOf,
  valueIssue,
} from './provider-keys-query.ts';
import { RemoveButton } from './remove-button.tsx';

/** The provider keys that calls of the tenant send, and where its admins bring their own. */
export function OwnKeysPage() {
  const { t } = useTranslation('providerKeys');
  const { slug } = useTenant();
  const { data, error, refetch } = useQuery(ownKeysQuery(slug));
  return (
    <>
      <PageHeader title={t('own.title')} description={t('own.description')} />
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {data && (
        <section aria-label={t('listLabel')}>
          <Accordion
            order={2}
            classNames={{
              item: classes.item,
              control: classes.control,
              label: classes.label,
              content: classes.content,
            }}
          >
            {data.providerKeys.map((key) => (
              <Accordion.Item key={key.name} value={key.name} id={key.name}>
                <Accordion.Control>
                  <Summary ownKey={key} />
                </Accordion.Control>
                <Accordion.Panel>
                  <Panel ownKey={key} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
        </section>
      )}
    </>
  );
}

interface Shown {
  readonly ownKey: OwnKey;
}

const COLORS = { own: 'celadon', unreadable: 'red', shared: 'blue', missing: 'gray' } as const;

/** What a closed row says about a key. */
function Summary({ ownKey }: Shown) {
  const { t } = useTranslation('providerKeys');
  const status = statusOf(ownKey);
  const count = ownKey.datasets.flatMap(({ tools }) => tools).length;
  return (
    <span className={classes.root}>
      <Text span fw={600} size="sm" className={classes.names}>
        {ownKey.name}
      </Text>
      <Text span size="sm" c="dimmed" className={classes.tools}>
        {t('tools', { count })}
      </Text>
      <Badge
        component="span"
        variant="light"
        color={COLORS[status]}
        tt="none"
        className={classes.badge}
      >
        {t(`own.status.${status}`)}
      </Badge>
    </span>
  );
}

function Panel({ ownKey }: Shown) {
  const { t } = useTranslation('providerKeys');
  const { canChange } = useTenant();
  return (
    <Stack>
      <Text size="sm" maw="46rem">
        {t(`own.meaning.${statusOf(ownKey)}`)}
      </Text>
      {canChange && <OwnKeyForm ownKey={ownKey} />}
      {ownKey.changedAt !== null && (
        <Hint size="xs">
          <RelativeTime at={ownKey.changedAt} />
        </Hint>
      )}
      {ownKey.owner === 'tenant' && <KeyOrigins ownKey={ownKey} />}
      <KeyDatasets providerKey={ownKey} />
    </Stack>
  );
}

/** Stores or replaces the key of the tenant. A value is kept in memory only, until it is saved. */
function OwnKeyForm({ ownKey }: Shown) {
  const { t } = useTranslation('providerKeys');
  const [value, setValue] = useState('');
  const save = useSave(ownKey, () => setValue(''));
  const issue = valueIssue(value);
  const isSavable = value.trim() !== '' && issue === null;
  const submit = (event: { preventDefault(): void }) => {
    event.preventDefault();
    if (isSavable) save.mutate(value.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw="32rem">
        <PasswordInput
          label={t('own.value')}
          description={t('form.valueDescription')}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          error={issue && t(`form.${issue}`, { max: MAX_VALUE_LENGTH })}
          name={`own-key-${ownKey.name}`}
          autoComplete="new-password"
          spellCheck={false}
        />
        <Group gap="xs">
          <Button type="submit" disabled={!isSavable} loading={save.isPending}>
            {t('form.save')}
          </Button>
          {ownKey.owner === 'tenant' && <RemoveOwnKey ownKey={ownKey} />}
        </Group>
        {save.error && <ErrorAlert error={save.error} />}
      </Stack>
    </form>
  );
}

function useSave({ name }: OwnKey, onSaved: () => void) {
  const { t } = useTranslation('providerKeys');
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (value: string) =>
      callAdmin('POST /tenants/:tenant/own-keys/:name', { tenant, name, value }),
    // Secrets are not kept in the cache of mutations.
    gcTime: 0,
    onSuccess: () => {
      onSaved();
      notifications.show({ message: t('form.saved', { name }) });
      return queries.invalidateQueries();
    },
  });
}

/** Removes the key of the tenant, after a confirmation. */
function RemoveOwnKey({ ownKey: { name, policy } }: Shown) {
  const { t } = useTranslation('providerKeys');
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  const remove = async (): Promise<void> => {
    await callAdmin('DELETE /tenants/:tenant/own-keys/:name', { tenant, name });
    notifications.show({ message: t('remove.done', { name }) });
    await queries.invalidateQueries();
  };
  return (
    <RemoveButton name={name} onConfirm={remove}>
      {t(`own.remove.${policy}`)}
    </RemoveButton>
  );
}
