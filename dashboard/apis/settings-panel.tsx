import { Button, Group, Paper, Stack, Textarea, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Hint } from '../shared/page.tsx';
import { NO_AUTHENTICATION, toAuth } from './api-form.ts';
import { AuthenticationFields } from './authentication-fields.tsx';
import { ChangeError, useChangeApi, useReloadApi } from './change-api.tsx';
import { OperationFields } from './filter-fields.tsx';
import { type ApiPartProps, reportQuery } from './queries.ts';

/** Everything that may be changed of an API besides the texts of its tools. */
export const SettingsPanel = (props: ApiPartProps) => (
  <Stack gap="md" maw="48rem">
    <GeneralForm {...props} />
    <OperationsForm {...props} />
    <CredentialForm {...props} />
  </Stack>
);

interface FormCardProps extends ApiPartProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly action: string;
  readonly change: ReturnType<typeof useChangeApi>;
  readonly onSubmit: () => void;
}

function FormCard({ tenant, api, title, children, action, change, onSubmit }: FormCardProps) {
  const reload = useReloadApi(tenant, api.id);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Paper withBorder p="md">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Title order={2} size="h3">
            {title}
          </Title>
          {children}
          {change.error && <ChangeError error={change.error} onReload={reload} />}
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

function GeneralForm({ tenant, api }: ApiPartProps) {
  const { t } = useTranslation('apis');
  const change = useChangeApi(tenant, api);
  const [name, setName] = useState(api.name);
  const [category, setCategory] = useState(api.category ?? '');
  const [description, setDescription] = useState(api.description ?? '');
  const submit = () =>
    change.mutate({
      ...(name !== api.name && { name }),
      ...(category !== (api.category ?? '') && { category: category || null }),
      ...(description !== (api.description ?? '') && { description: description || null }),
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
      <TextInput
        label={t('form.name')}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
      />
      <TextInput
        label={t('form.category')}
        description={t('form.categoryHint')}
        value={category}
        onChange={(event) => setCategory(event.currentTarget.value)}
        maxLength={40}
        pattern="[a-z0-9]+(-[a-z0-9]+)*"
      />
      <Textarea
        label={t('form.about')}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        maxLength={2000}
        autosize
        minRows={2}
        maxRows={8}
      />
    </FormCard>
  );
}

function OperationsForm({ tenant, api }: ApiPartProps) {
  const { t } = useTranslation('apis');
  const change = useChangeApi(tenant, api);
  const report = useQuery(reportQuery(tenant, api.id, api.revision)).data?.report;
  const [filters, setFilters] = useState({
    include: api.options.include ?? [],
    exclude: api.options.exclude,
  });
  const submit = () =>
    change.mutate({
      include: filters.include.length > 0 ? filters.include : null,
      exclude: filters.exclude,
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
      <OperationFields
        {...filters}
        change={(changed) => setFilters({ ...filters, ...changed })}
        report={report}
      />
    </FormCard>
  );
}

/** Starts empty: what is stored is never sent to a browser. */
function CredentialForm({ tenant, api }: ApiPartProps) {
  const { t } = useTranslation('apis');
  const change = useChangeApi(tenant, api);
  const [values, setValues] = useState({
    ...NO_AUTHENTICATION,
    type: api.auth.type as typeof NO_AUTHENTICATION.type,
  });
  return (
    <FormCard
      tenant={tenant}
      api={api}
      title={t('api.credential')}
      action={t('settings.replace')}
      change={change}
      onSubmit={() => change.mutate({ auth: toAuth(values), done: t('settings.replaced') })}
    >
      <Hint>{t('settings.credentialText')}</Hint>
      <AuthenticationFields values={values} onChange={setValues} />
    </FormCard>
  );
}
