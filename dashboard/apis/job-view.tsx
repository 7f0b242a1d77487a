import { Alert, Badge, Button, Code, Group, Loader, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { LinkButton } from '../shared/buttons.tsx';
import { ErrorMessage, Section } from '../shared/page.tsx';
import { lazyPart } from '../shared/waiting.tsx';
import type { Job } from './queries.ts';

export const LazyReportView = lazyPart(async () => (await import('./report-view.tsx')).ReportView);

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
        <Section title={t('api.report')}>
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

/** Most often, the description is to blame. */
export const JobError = ({
  error: { code, message },
}: {
  readonly error: NonNullable<Job['error']>;
}) => <ErrorMessage code={code === 'unprocessable' ? 'description' : code} message={message} />;

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
          {error && <JobError error={error} />}
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
    <Group component="ol" gap="0.5rem 1.25rem" m={0} p={0} aria-label={t('job.steps')}>
      {STEPS.map((step, number) => {
        const state = stateOf(number);
        return (
          <Group
            key={step}
            component="li"
            gap={6}
            fz="sm"
            fw={state === 'now' || state === 'failed' ? 600 : 400}
            {...(state === 'later' && { c: 'dimmed' })}
            aria-current={state === 'now' ? 'step' : undefined}
          >
            <ThemeIcon
              size={22}
              radius="xl"
              variant={state === 'later' ? 'default' : 'light'}
              color={state === 'failed' ? 'red' : 'celadon'}
              aria-hidden
            >
              <Mark state={state} />
            </ThemeIcon>
            {step === 'ended' ? t(hasFailed ? `status.${status}` : 'job.ended') : t(`job.${step}`)}
          </Group>
        );
      })}
    </Group>
  );
}

function Mark({ state }: { readonly state: StepState }) {
  if (state === 'done') return <IconCheck size={14} />;
  if (state === 'failed') return <IconX size={14} />;
  return state === 'now' ? <Loader size={14} /> : null;
}

const COLOURS: Readonly<Record<Job['status'], string>> = {
  queued: 'gray',
  fetching: 'blue',
  validating: 'blue',
  converting: 'blue',
  registered: 'celadon',
  checked: 'celadon',
  confirmation_required: 'yellow',
  failed: 'red',
};

/** The state of a job, in words. */
export function StatusBadge({ status }: Pick<Job, 'status'>) {
  const { t } = useTranslation('apis');
  return (
    <Badge variant="light" color={COLOURS[status]} tt="none" autoContrast={false}>
      {t(`status.${status}`)}
    </Badge>
  );
}
