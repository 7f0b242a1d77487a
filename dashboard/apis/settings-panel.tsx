import { Button, Group, Paper, Stack, Textarea, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { deepEqual } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FieldOf, useCheckedForm } from '../shared/checked-form.tsx';
import { Hint } from '../shared/page.tsx';
import { useUnsavedGuard } from '../shared/unsaved.tsx';
import { type AuthenticationValues, type Filter, NO_AUTHENTICATION, toAuth } from './api-form.ts';
import { AuthenticationFields } from './authentication-fields.tsx';
import { ChangeError, useChangeApi, useReloadApi } from './change-api.tsx';
import { OperationFields } from './filter-fields.tsx';
import { type Api, type ApiPartProps, reportQuery } from './queries.ts';

/** Everything that may be changed of an API besides the texts of its tools. */
export function SettingsPanel({ tenant, api }: ApiPartProps) {
  const general = useDraft(generalOf(api));
  const filters = useDraft(filtersOf(api));
  const auth = useDraft(authOf(api));
  const guard = useUnsavedGuard([general, filters, auth].some(({ isChanged }) => isChanged));
  return (
    <Stack gap="md" maw="48rem">
      <GeneralForm tenant={tenant} api={api} draft={general} />
      <OperationsForm tenant={tenant} api={api} draft={filters} />
      <CredentialForm tenant={tenant} api={api} draft={auth} />
      {guard}
    </Stack>
  );
}

interface General {
  readonly name: string;
  readonly category: string;
  readonly description: string;
}

const generalOf = ({ name, category, description }: Api): General => ({
  ...{ name, category: category ?? '', description: description ?? '' },
});

interface Filters {
  readonly include: readonly Filter[];
  readonly exclude: readonly Filter[];
}

const filtersOf = ({ options: { include, exclude } }: Api): Filters => ({
  ...{ include: include ?? [], exclude },
});

/** Empty but for the type: what is stored is never sent to a browser. */
const authOf = ({ auth }: Api): AuthenticationValues => ({
  ...NO_AUTHENTICATION,
  type: auth.type as AuthenticationValues['type'],
});

type Draft<Values extends object> = ReturnType<typeof useDraft<Values>>;

/** What a form holds. Where the stored values change meanwhile, they replace what was not changed here. */
function useDraft<Values extends object>(stored: Values) {
  const [state, set] = useState({ stored, values: stored });
  if (!deepEqual(state.stored, stored)) {
    const changed = Object.entries(state.values).filter(
      ([name, value]) => !deepEqual(value, state.stored[name as keyof Values]),
    );
    set({ stored, values: { ...stored, ...Object.fromEntries(changed) } });
  }
  const { values } = state;
  return {
    values,
    isChanged: !deepEqual(values, stored),
    change: (part: Partial<Values>) => set({ stored, values: { ...values, ...part } }),
    /** After it was stored. */
    reset: () => set({ stored, values: stored }),
  };
}

interface FormProps<Values extends object> extends ApiPartProps {
  readonly draft: Draft<Values>;
}

interface FormCardProps extends ApiPartProps {
  readonly title: string;
  readonly children: (field: FieldOf) => ReactNode;
  readonly action: string;
  readonly change: ReturnType<typeof useChangeApi>;
  readonly onSubmit: () => void;
}

function FormCard({ tenant, api, title, children, action, change, onSubmit }: FormCardProps) {
  const reload = useReloadApi(tenant, api.id);
  const { form, field } = useCheckedForm(onSubmit);
  return (
    <Paper withBorder p="md">
      <form {...form}>
        <Stack gap="sm">
          <Title order={2} size="h3">
            {title}
          </Title>
          {children(field)}
          {change.error && (
            <ChangeError error={change.error} onReload={() => reload().then(change.reset)} />
          )}
          <Group justify="flex-end">
            <Button type="submit" loading={change.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

function GeneralForm({ tenant, api, draft }: FormProps<General>) {
  const { t } = useTranslation('apis');
  const change = useChangeApi(tenant, api);
  const { name, category, description } = draft.values;
  const stored = generalOf(api);
  const submit = () =>
    change.mutate({
      ...(name !== stored.name && { name }),
      ...(category !== stored.category && { category: category || null }),
      ...(description !== stored.description && { description: description || null }),
      done: t('api.saved'),
    });
  return (
    <FormCard
      tenant={tenant}
      api={api}
      title={t('settings.general')}
      action={t('api.save')}
      change={change}
      onSubmit={submit}
    >
      {(field) => (
        <>
          <TextInput
            {...field('name')}
            label={t('form.name')}
            value={name}
            onChange={(event) => draft.change({ name: event.currentTarget.value })}
            maxLength={100}
            required
          />
          <TextInput
            {...field('category')}
            label={t('form.category')}
            description={t('form.categoryHint')}
            value={category}
            onChange={(event) => draft.change({ category: event.currentTarget.value })}
            maxLength={40}
            pattern="[a-z0-9]+(-[a-z0-9]+)*"
          />
          <Textarea
            label={t('form.about')}
            value={description}
            onChange={(event) => draft.change({ description: event.currentTarget.value })}
            maxLength={2000}
            autosize
            minRows={2}
            maxRows={8}
          />
        </>
      )}
    </FormCard>
  );
}

function OperationsForm({ tenant, api, draft }: FormProps<Filters>) {
  const { t } = useTranslation('apis');
  const change = useChangeApi(tenant, api);
  const report = useQuery(reportQuery(tenant, api.id, api.revision)).data?.report;
  const { include, exclude } = draft.values;
  const submit = () =>
    change.mutate({
      include: include.length > 0 ? include : null,
      exclude,
      done: t('filters.applied'),
    });
  return (
    <FormCard
      tenant={tenant}
      api={api}
      title={t('filters.title')}
      action={t('filters.apply')}
      change={change}
      onSubmit={submit}
    >
      {() => <OperationFields {...draft.values} change={draft.change} report={report} />}
    </FormCard>
  );
}

function CredentialForm({ tenant, api, draft }: FormProps<AuthenticationValues>) {
  const { t } = useTranslation('apis');
  const change = useChangeApi(tenant, api);
  const submit = () =>
    change.mutate(
      { auth: toAuth(draft.values), done: t('settings.replaced') },
      { onSuccess: draft.reset },
    );
  return (
    <FormCard
      tenant={tenant}
      api={api}
      title={t('api.credential')}
      action={t('settings.replace')}
      change={change}
      onSubmit={submit}
    >
      {(field) => (
        <>
          <Hint>{t('settings.credentialText')}</Hint>
          <AuthenticationFields values={draft.values} onChange={draft.change} field={field} />
        </>
      )}
    </FormCard>
  );
}
