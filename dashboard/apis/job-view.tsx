import { Alert, Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconHourglass } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { JobSteps } from './job-steps.tsx';
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
        <section aria-labelledby="job-report">
          <Title order={2} id="job-report" mb="sm">
            {t('report.title')}
          </Title>
          <LazyReportView report={job.report} />
        </section>
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
        <Text size="sm">{error?.message}</Text>
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
        {job.authType !== 'none' && job.origins.length > 0 && (
          <Text size="sm" mt={4}>
            {t('job.sentTo', { origins: job.origins.join(', ') })}
          </Text>
        )}
      </Alert>
    );
  }
  if (status !== 'registered' && status !== 'awaiting_approval') return null;
  const isLive = status === 'registered';
  return (
    <Alert
      color={isLive ? 'celadon' : 'yellow'}
      role="status"
      icon={isLive ? <IconCheck aria-hidden /> : <IconHourglass aria-hidden />}
      title={t(isLive ? 'job.live' : 'job.waiting')}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">{isLive && t('job.liveText')}</Text>
        {registrationId && (
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => (
              <Link to="/admin/apis/$api" params={{ api: registrationId }} {...props} />
            )}
          >
            {t('job.open', { name })}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
