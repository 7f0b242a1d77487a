import { Alert, Button, Code, Group, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LinkButton } from '../shared/buttons.tsx';
import { ErrorMessage, Section } from '../shared/page.tsx';
import classes from './job-view.module.css';
import { LazyReportView } from './lazy-parts.tsx';
import type { Job } from './queries.ts';

interface JobViewProps {
  readonly job: Job;
  /** Sends the request again; absent where its credential is not known. */
  readonly onConfirm?: (origins: readonly string[]) => void;
  readonly isConfirming?: boolean;
}

/** A job as it runs, and what it came to. */
export function JobView({ job, ...confirming }: JobViewProps) {
  const { t } = useTranslation('apis');
  return (
    <Stack gap="lg">
      <JobSteps job={job} />
      {job.status === 'confirmation_required' ? (
        <Confirmation origins={job.origins} {...confirming} />
      ) : (
        <JobOutcome job={job} />
      )}
      {job.report && (
        <Section title={t('report.title')}>
          <LazyReportView report={job.report} />
        </Section>
      )}
    </Stack>
  );
}

interface ConfirmationProps extends Omit<JobViewProps, 'job'> {
  readonly origins: readonly string[];
}

/** The description leads elsewhere than to its own origin: the person decides whether the credential goes there. */
function Confirmation({ origins, onConfirm, isConfirming = false }: ConfirmationProps) {
  const { t } = useTranslation('apis');
  return (
    <Alert color="yellow" role="alert" icon={<IconAlertTriangle aria-hidden />}>
      <Stack gap="sm" align="start">
        <Text size="sm" fw={600}>
          {t('job.confirm')}
        </Text>
        <Text size="sm">{t('job.confirmText')}</Text>
        {origins.map((origin) => (
          <Code key={origin}>{origin}</Code>
        ))}
        {onConfirm ? (
          <Button size="xs" loading={isConfirming} onClick={() => onConfirm(origins)}>
            {t('job.confirmed')}
          </Button>
        ) : (
          <Text size="sm">{t('job.confirmLater')}</Text>
        )}
      </Stack>
    </Alert>
  );
}

function JobOutcome({ job }: { readonly job: Job }) {
  const { t } = useTranslation('apis');
  const { status, error, registrationId, name } = job;
  if (status === 'failed') {
    return (
      <Alert
        color="red"
        role="alert"
        icon={<IconAlertTriangle aria-hidden />}
        title={t('job.failed')}
      >
        <Text size="sm" component="div">
          <ErrorMessage code={error?.code} message={error?.message} />
        </Text>
        {error?.pointer && (
          <Text size="sm" mt={4}>
            {t('column.place')}: <Code>{error.pointer}</Code>
          </Text>
        )}
      </Alert>
    );
  }
  if (status === 'checked') {
    return (
      <Alert color="celadon" role="status" icon={<IconCheck aria-hidden />}>
        {t('job.checked')}
        {job.origins.length > 0 && (
          <Text size="sm" mt={4}>
            {t('job.sentTo', { origins: job.origins.join(', ') })}
          </Text>
        )}
      </Alert>
    );
  }
  if (status !== 'registered') return null;
  return (
    <Alert color="celadon" role="status" icon={<IconCheck aria-hidden />} title={t('job.live')}>
      <Group justify="space-between" gap="sm">
        <Text size="sm">{t('job.liveText')}</Text>
        {registrationId && (
          <LinkButton
            to="/admin/apis/$api"
            params={{ api: registrationId }}
            size="xs"
            variant="default"
          >
            {t('job.open', { name })}
          </LinkButton>
        )}
      </Group>
    </Alert>
  );
}

const STEPS = ['queued', 'fetching', 'validating', 'converting', 'ended'] as const;

type StepState = 'done' | 'now' | 'failed' | 'later';

/** Which steps of a job are done. Of one that registered nothing, nobody knows at which step it ended. */
function JobSteps({ job: { status, progress } }: { readonly job: Job }) {
  const { t } = useTranslation('apis');
  const hasFailed = status === 'failed' || status === 'confirmation_required';
  const at = progress === 1 ? STEPS.length - 1 : (STEPS as readonly string[]).indexOf(status);
  const stateOf = (step: number): StepState => {
    if (step > at || (hasFailed && step < at)) return 'later';
    if (step < at || (progress === 1 && !hasFailed)) return 'done';
    return hasFailed ? 'failed' : 'now';
  };
  return (
    <ol className={classes.root} aria-label={t('job.steps')}>
      {STEPS.map((step, number) => {
        const state = stateOf(number);
        return (
          <li
            key={step}
            className={classes.step}
            data-state={state}
            aria-current={state === 'now' ? 'step' : undefined}
          >
            <span className={classes.mark} aria-hidden>
              <Mark state={state} />
            </span>
            {step === 'ended' ? t(hasFailed ? `status.${status}` : 'job.ended') : t(`job.${step}`)}
          </li>
        );
      })}
    </ol>
  );
}

function Mark({ state }: { readonly state: StepState }) {
  if (state === 'done') return <IconCheck size={14} />;
  if (state === 'failed') return <IconX size={14} />;
  return state === 'now' ? <Loader size={14} /> : null;
}
