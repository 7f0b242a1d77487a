import { Alert, Group, Paper, Stack, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../app/tenant-in-use.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { ApiFields } from './api-fields.tsx';
import { type ApiValues, EMPTY_FORM, toRegistration } from './api-form.ts';
import { Crumb } from './crumb.tsx';
import { JobView } from './job-view.tsx';
import { LazyTrialPanel } from './lazy-parts.tsx';
import { jobQuery, jobsKey } from './queries.ts';
import classes from './register-page.module.css';
import { toolsOf } from './report-tools.ts';
import { useJobEvents } from './use-job-events.ts';

/** A request as it was sent, with what became of it. The credential stays in this page. */
interface Sent {
  readonly jobId: string;
  readonly values: ApiValues;
}

/** The form for a new API, with its check and its trial below. */
export function RegisterPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant } = useTenant();
  const [values, setValues] = useState(EMPTY_FORM);
  const [sent, setSent] = useState<Sent | null>(null);
  useJobEvents(tenant);
  const submit = useSubmit(tenant, setSent);
  const job = useQuery({ ...jobQuery(tenant, sent?.jobId ?? ''), enabled: sent !== null });
  const shown = sent ? job.data : undefined;
  const isRunning = submit.isPending || (shown !== undefined && shown.progress < 1);
  return (
    <Stack gap="xl">
      <div>
        <PageHeader
          title={t('form.title')}
          description={t('form.description')}
          breadcrumbs={<Crumb />}
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
      {sent && shown?.canBeTried && (
        <section aria-labelledby="try">
          <Title order={2} id="try" mb="sm">
            {t('trial.title')}
          </Title>
          {sent.values !== values && (
            <Alert color="yellow" mb="sm">
              {t('form.checkAgain')}
            </Alert>
          )}
          <LazyTrialPanel
            key={sent.jobId}
            subject={{ tenant, kind: 'job', id: sent.jobId }}
            tools={toolsOf(shown)}
            auth={sent.values.auth}
            needsAuth={shown.authType !== 'none'}
          />
        </section>
      )}
    </Stack>
  );
}

interface ArrivingProps {
  readonly label: string;
  readonly children: React.ReactNode;
}

/** Comes into view once: it is below a long form. */
function Arriving({ label, children }: ArrivingProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    // Newer browsers return a promise, which an effect must not.
    void place.current?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <section ref={place} aria-label={label} className={classes.arriving}>
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
