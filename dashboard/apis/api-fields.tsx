import { Button, Group, Radio, Stack, Textarea, TextInput, Title } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import type { SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiValues } from './api-form.ts';
import { AuthenticationFields } from './authentication-fields.tsx';
import { FilterFields } from './filter-fields.tsx';
import type { Report } from './queries.ts';
import { SourceFields } from './source-fields.tsx';

export interface ApiFieldsProps {
  readonly values: ApiValues;
  readonly onChange: (values: ApiValues) => void;
  /** Of the last check, to choose filters from. */
  readonly report: Report | null | undefined;
  readonly isRunning: boolean;
  readonly onSubmit: (isDryRun: boolean) => void;
}

/** Everything that a registration may say. Enter checks; only the button registers. */
export function ApiFields({ values, onChange, report, isRunning, onSubmit }: ApiFieldsProps) {
  const { t } = useTranslation('apis');
  const change = (changed: Partial<ApiValues>) => onChange({ ...values, ...changed });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as unknown as globalThis.SubmitEvent;
    onSubmit(submitter?.dataset['registers'] === undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        <SourceFields values={values.source} onChange={(source) => change({ source })} />
        <TextInput
          label={t('form.name')}
          description={t('form.nameHint')}
          value={values.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          maxLength={100}
          required
          autoComplete="off"
        />
        <Part title={t('auth.title')}>
          <AuthenticationFields values={values.auth} onChange={(auth) => change({ auth })} />
        </Part>
        <Part title={t('filters.title')}>
          <FilterFields
            label={t('filters.include')}
            hint={t('filters.includeHint')}
            filters={values.include}
            onChange={(include) => change({ include })}
            report={report}
          />
          <FilterFields
            label={t('filters.exclude')}
            filters={values.exclude}
            onChange={(exclude) => change({ exclude })}
            report={report}
          />
        </Part>
        <Part title={t('form.details')}>
          <DetailFields values={values} change={change} />
        </Part>
        <Group gap="sm" justify="flex-end">
          <Button
            type="submit"
            variant="default"
            loading={isRunning}
            leftSection={<IconChecklist size={16} aria-hidden />}
          >
            {t('form.check')}
          </Button>
          <Button type="submit" data-registers loading={isRunning}>
            {t('form.register')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface PartProps {
  readonly title: string;
  readonly children: React.ReactNode;
}

const Part = ({ title, children }: PartProps) => (
  <Stack gap="sm" component="section">
    <Title order={2} size="h3">
      {title}
    </Title>
    {children}
  </Stack>
);

interface DetailFieldsProps {
  readonly values: ApiValues;
  readonly change: (changed: Partial<ApiValues>) => void;
}

function DetailFields({ values, change }: DetailFieldsProps) {
  const { t } = useTranslation('apis');
  return (
    <>
      <Radio.Group
        label={t('form.visibility')}
        value={values.visibility}
        onChange={(visibility) => change({ visibility: visibility as ApiValues['visibility'] })}
      >
        <Stack gap={6} mt={6}>
          <Radio value="private" label={t('form.private')} />
          <Radio value="public" label={t('form.public')} description={t('form.publicHint')} />
        </Stack>
      </Radio.Group>
      <Group grow align="start">
        <TextInput
          label={t('form.category')}
          description={t('form.categoryHint')}
          value={values.category}
          onChange={(event) => change({ category: event.currentTarget.value })}
          maxLength={40}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
        />
        <TextInput
          label={t('form.base')}
          description={t('form.baseHint')}
          type="url"
          value={values.baseUrl}
          onChange={(event) => change({ baseUrl: event.currentTarget.value })}
        />
      </Group>
      <Textarea
        label={t('form.about')}
        value={values.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
        maxLength={2000}
        autosize
        minRows={2}
        maxRows={8}
      />
    </>
  );
}
