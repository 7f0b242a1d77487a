import { Alert, Badge, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconChecklist, IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminUrl } from '../api/call-admin.ts';
import { DataTable } from '../shared/data-table.tsx';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import classes from './api-facts.module.css';
import { ApprovalActions } from './approval-actions.tsx';
import { ChangesTable } from './changes-table.tsx';
import { Crumb } from './crumb.tsx';
import { LazyReportView, LazyTrialPanel } from './lazy-parts.tsx';
import { isStatus, type Review, reviewChangesQuery, reviewQuery } from './queries.ts';

const CRUMB = <Crumb to="/admin/settings/approvals" />;

/** One API that waits for the operator. */
export function ApprovalPage() {
  const { t } = useTranslation('apis');
  const { api: id } = useParams({ from: '/signed-in/admin/settings/approvals/$api' });
  const review = useQuery(reviewQuery(id));
  if (review.data) return <PinnedReview key={id} latest={review.data} />;
  const isGone = isStatus(review.error, 404);
  return (
    <>
      <PageHeader title={t('approvals.title')} breadcrumbs={CRUMB} />
      {isGone && (
        <EmptyState
          icon={IconChecklist}
          title={t('approvals.gone')}
          action={
            <Button
              variant="default"
              renderRoot={(props) => <Link to="/admin/settings/approvals" {...props} />}
            >
              {t('approvals.back')}
            </Button>
          }
        />
      )}
      {review.error && !isGone && <ErrorAlert error={review.error} onRetry={review.refetch} />}
      {!review.error && <Skeleton h={240} />}
    </>
  );
}

/** Stays as it was first shown: what is approved is what was read. */
function PinnedReview({ latest }: { readonly latest: Review }) {
  const { t } = useTranslation('apis');
  const [review, setReview] = useState(latest);
  return (
    <>
      {latest.revision !== review.revision && (
        <Alert color="yellow" role="alert" mb="lg" icon={<IconAlertTriangle aria-hidden />}>
          <Group justify="space-between" gap="sm">
            <Text size="sm">{t('approvals.outdated')}</Text>
            <Button size="xs" variant="default" onClick={() => setReview(latest)}>
              {t('api.reload')}
            </Button>
          </Group>
        </Alert>
      )}
      <LoadedReview key={review.revision} review={review} />
    </>
  );
}

function LoadedReview({ review }: { readonly review: Review }) {
  const { t } = useTranslation('apis');
  const { id, revision, name, tenant, kind, description, source, baseUrl, category } = review;
  return (
    <Stack gap="lg">
      <PageHeader
        title={name}
        breadcrumbs={CRUMB}
        description={description}
        aside={
          <Badge variant="light" tt="none" color={kind === 'new' ? 'celadon' : 'yellow'}>
            {t(`approvals.${kind}`)}
          </Badge>
        }
        actions={<ApprovalActions review={review} />}
      />
      <dl className={classes.root}>
        <div>
          <dt>{t('column.tenant')}</dt>
          <dd>{tenant}</dd>
        </div>
        <div>
          <dt>{t('column.base')}</dt>
          <dd>{baseUrl}</dd>
        </div>
        <div>
          <dt>{t('api.source')}</dt>
          <dd>{source.kind === 'address' ? source.address : t('job.asText')}</dd>
        </div>
        <div>
          <dt>{t('form.category')}</dt>
          <dd>{category ?? '–'}</dd>
        </div>
      </dl>
      <Button
        component="a"
        href={adminUrl('GET /approvals/:id/document', { id })}
        variant="default"
        w="fit-content"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        {t('approvals.document')}
      </Button>
      {kind === 'change' && <Differences review={review} />}
      <OwnTexts texts={review.ownTexts} />
      <section aria-labelledby="review-tools">
        <Title order={2} id="review-tools" mb="sm">
          {t('approvals.tools')}
        </Title>
        <LazyTrialPanel
          subject={{ tenant, kind: 'api', id, revision }}
          tools={review.tools}
          needsAuth={false}
        />
      </section>
      <section aria-labelledby="review-report">
        <Title order={2} id="review-report" mb="sm">
          {t('report.title')}
        </Title>
        <LazyReportView report={review.report} />
      </section>
    </Stack>
  );
}

/** What models read in place of the description's own texts. */
function OwnTexts({ texts }: { readonly texts: Review['ownTexts'] }) {
  const { t } = useTranslation('apis');
  const rows = Object.entries(texts);
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="review-texts">
      <Title order={2} id="review-texts" mb="sm">
        {t('approvals.ownTexts')}
      </Title>
      <DataTable
        label={t('approvals.ownTexts')}
        rows={rows}
        rowKey={([tool]) => tool}
        empty={null}
        columns={[
          { key: 'tool', header: t('column.tool'), cell: ([tool]) => tool },
          { key: 'text', header: t('tools.text'), cell: ([, text]) => text },
        ]}
      />
    </section>
  );
}

function Differences({ review: { id, revision } }: { readonly review: Review }) {
  const { t } = useTranslation('apis');
  const compared = useQuery(reviewChangesQuery(id, revision));
  return (
    <section aria-labelledby="review-changes">
      <Title order={2} id="review-changes" mb="sm">
        {t('approvals.changes')}
      </Title>
      {compared.error && <ErrorAlert error={compared.error} onRetry={compared.refetch} />}
      {compared.isPending && <Skeleton h={80} />}
      {compared.data?.comparison && <ChangesTable changes={compared.data.comparison.changes} />}
    </section>
  );
}
