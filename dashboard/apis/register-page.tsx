import { Button, Group, Paper, Stack, Textarea, TextInput, Title } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { deepEqual } from '@tanstack/react-router';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { type FieldOf, useCheckedForm } from '../shared/checked-form.tsx';
import { ErrorAlert, PageHeader } from '../shared/page.tsx';
import { useUnsavedGuard } from '../shared/unsaved.tsx';
import { type ApiValues, EMPTY_FORM, toRegistration } from './api-form.ts';
import { AuthenticationFields } from './authentication-fields.tsx';
import { OperationFields } from './filter-fields.tsx';
import { JobView } from './job-view.tsx';
import { jobQuery, jobsKey, type Report } from './queries.ts';
import { missingSource, SourceFields } from './source-fields.tsx';

/** A request as it was sent, with what became of it. The credential stays in this page. */
interface Sent {
  readonly jobId: string;
  readonly values: ApiValues;
}

/** The form for a new API, with its check below. */
export function RegisterPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant } = useTenant();
  const [values, setValues] = useState(EMPTY_FORM);
  const [sent, setSent] = useState<Sent | null>(null);
  const submit = useSubmit(tenant, setSent);
  const job = useQuery({ ...jobQuery(tenant, sent?.jobId ?? ''), enabled: sent !== null });
  const shown = sent ? job.data : undefined;
  const isRegistered = shown?.status === 'registered' && sent?.values === values;
  const guard = useUnsavedGuard(isFilled(values) && !isRegistered);
  const isRunning = submit.isPending || (shown !== undefined && shown.progress < 1);
  return (
    <Stack gap="xl">
      {guard}
      <div>
        <PageHeader
          title={t('register')}
          description={t('form.description')}
          breadcrumbs={[{ to: '/admin/apis', label: t('title') }]}
        />
        <Paper withBorder p={{ base: 'md', sm: 'lg' }} maw="56rem">
          <ApiFields
            values={values}
            onChange={setValues}
            report={shown?.report}
            isRunning={isRunning}
            onSubmit={(isDryRun) => submit.mutate({ values, isDryRun })}
          />
          {submit.error && (
            <Group mt="md" grow>
              <ErrorAlert error={submit.error} />
            </Group>
          )}
        </Paper>
      </div>
      {sent && job.error && <ErrorAlert error={job.error} onRetry={job.refetch} />}
      {sent && shown && (
        <Arriving key={sent.jobId} label={t('job.steps')}>
          <JobView
            job={shown}
            isConfirming={submit.isPending}
            onConfirm={(confirmed) =>
              submit.mutate({ values: sent.values, isDryRun: false, confirmed })
            }
          />
        </Arriving>
      )}
    </Stack>
  );
}

/** Whether anything was entered; which kind of source is shown does not count. */
const isFilled = ({ source, ...values }: ApiValues): boolean =>
  !deepEqual({ ...values, source: { ...source, kind: EMPTY_FORM.source.kind } }, EMPTY_FORM);

/** Comes into view once: it is below a long form. */
function Arriving({ label, children }: { label: string; children: React.ReactNode }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    // Newer browsers return a promise, which an effect must not.
    void place.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    // The bar of the application must not cover it.
    <section ref={place} aria-label={label} style={{ scrollMarginTop: '4.5rem' }}>
      {children}
    </section>
  );
}

interface Submission {
  readonly values: ApiValues;
  readonly isDryRun: boolean;
  /** Where the credential may be sent, once the person has confirmed it. */
  readonly confirmed?: readonly string[];
}

function useSubmit(tenant: string, onSent: (sent: Sent) => void) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ values, isDryRun, confirmed: confirm_origins }: Submission) => {
      const request = toRegistration(values);
      if (!request) throw new Error(t('form.needSource'));
      const input = { tenant, ...request, confirm_origins, ...(isDryRun && { dry_run: true }) };
      return callAdmin('POST /tenants/:tenant/registrations', input);
    },
    onSuccess: async ({ id }, { values }) => {
      onSent({ jobId: id, values });
      await queries.invalidateQueries({ queryKey: jobsKey(tenant) });
    },
  });
}

interface ApiFieldsProps {
  readonly values: ApiValues;
  readonly onChange: (values: ApiValues) => void;
  /** Of the last check, to choose filters from. */
  readonly report: Report | null | undefined;
  readonly isRunning: boolean;
  readonly onSubmit: (isDryRun: boolean) => void;
}

/** Everything that a registration may say. Enter checks; only the button registers. */
function ApiFields({ values, onChange, report, isRunning, onSubmit }: ApiFieldsProps) {
  const { t } = useTranslation('apis');
  const change = (changed: Partial<ApiValues>) => onChange({ ...values, ...changed });
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    const { submitter } = event.nativeEvent as unknown as globalThis.SubmitEvent;
    onSubmit(submitter?.dataset['registers'] === undefined);
  };
  const { form, field } = useCheckedForm(submit, missingSource(values.source));
  return (
    <form {...form}>
      <Stack gap="lg">
        <SourceFields
          values={values.source}
          onChange={(source) => change({ source })}
          field={field}
        />
        <TextInput
          {...field('name')}
          label={t('form.name')}
          description={t('form.nameHint')}
          value={values.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          maxLength={100}
          required
          autoComplete="off"
        />
        <Part title={t('auth.title')}>
          <AuthenticationFields
            values={values.auth}
            onChange={(auth) => change({ auth })}
            field={field}
          />
        </Part>
        <Part title={t('filters.title')}>
          <OperationFields {...values} change={change} report={report} />
        </Part>
        <Part title={t('form.details')}>
          <DetailFields values={values} change={change} field={field} />
        </Part>
        <Group gap="sm" justify="flex-end">
          <Button
            type="submit"
            variant="default"
            loading={isRunning}
            leftSection={icon(IconChecklist)}
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

const Part = ({ title, children }: { title: string; children: React.ReactNode }) => (
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
  readonly field: FieldOf;
}

function DetailFields({ values, change, field }: DetailFieldsProps) {
  const { t } = useTranslation('apis');
  return (
    <>
      <Group grow align="start">
        <TextInput
          {...field('category')}
          label={t('form.category')}
          description={t('form.categoryHint')}
          value={values.category}
          onChange={(event) => change({ category: event.currentTarget.value })}
          maxLength={40}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
        />
        <TextInput
          {...field('baseUrl')}
          label={t('column.base')}
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
