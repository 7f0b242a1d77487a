import { Alert, Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconAlertTriangle,
  IconCheck,
  IconChecklist,
  IconDownload,
  IconX,
} from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminUrl, callAdmin } from '../api/call-admin.ts';
import { icon, LinkButton } from '../shared/buttons.tsx';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { Facts } from '../shared/facts.tsx';
import { EmptyState, ErrorAlert, PageHeader, Section } from '../shared/page.tsx';
import { FactsSkeleton, RowsSkeleton } from '../shared/skeletons.tsx';
import classes from './api-facts.module.css';
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
            <LinkButton to="/admin/settings/approvals" variant="default">
              {t('approvals.back')}
            </LinkButton>
          }
        />
      )}
      {review.error && !isGone && <ErrorAlert error={review.error} onRetry={review.refetch} />}
      {!review.error && <FactsSkeleton count={8} />}
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
      <Facts
        className={classes.root}
        facts={[
          [t('column.tenant'), tenant],
          [t('column.base'), baseUrl],
          [t('api.source'), source.kind === 'address' ? source.address : t('job.asText')],
          [t('form.category'), category ?? '–'],
        ]}
      />
      <Button
        component="a"
        href={adminUrl('GET /approvals/:id/document', { id })}
        variant="default"
        w="fit-content"
        leftSection={icon(IconDownload)}
      >
        {t('approvals.document')}
      </Button>
      {kind === 'change' && <Differences review={review} />}
      <OwnTexts texts={review.ownTexts} />
      <Section title={t('approvals.tools')}>
        <LazyTrialPanel
          subject={{ tenant, kind: 'api', id, revision }}
          tools={review.tools}
          needsAuth={false}
        />
      </Section>
      <Section title={t('report.title')}>
        <LazyReportView report={review.report} />
      </Section>
    </Stack>
  );
}

/** What models read in place of the description's own texts. */
function OwnTexts({ texts }: { readonly texts: Review['ownTexts'] }) {
  const { t } = useTranslation('apis');
  const rows = Object.entries(texts);
  if (rows.length === 0) return null;
  return (
    <Section title={t('approvals.ownTexts')}>
      <DataTable
        label={t('approvals.ownTexts')}
        rows={rows}
        rowKey={([tool]) => tool}
        empty={null}
        columns={[
          { header: t('column.tool'), cell: ([tool]) => tool },
          { header: t('tools.text'), cell: ([, text]) => text },
        ]}
      />
    </Section>
  );
}

function Differences({ review: { id, revision } }: { readonly review: Review }) {
  const { t } = useTranslation('apis');
  const compared = useQuery(reviewChangesQuery(id, revision));
  return (
    <Section title={t('approvals.changes')}>
      {compared.error && <ErrorAlert error={compared.error} onRetry={compared.refetch} />}
      {compared.isPending && <RowsSkeleton count={3} />}
      {compared.data?.comparison && <ChangesTable changes={compared.data.comparison.changes} />}
    </Section>
  );
}

const MAX_REASON_LENGTH = 500;

/** Approves or rejects the revision that is shown, and no other. */
function ApprovalActions({ review }: { readonly review: Review }) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'approve' | 'reject' | null>(null);
  const [reason, setReason] = useState('');
  const { id, name, revision } = review;
  const finish = async (message: string): Promise<void> => {
    notifications.show({ message });
    await navigate({ to: '/admin/settings/approvals' });
    await queries.invalidateQueries({ queryKey: ['approvals'] });
  };
  const decide = async (deciding: Promise<unknown>, message: string): Promise<void> => {
    try {
      await deciding;
    } catch (error) {
      // If it was changed meanwhile, the page says so.
      void queries.invalidateQueries({ queryKey: reviewQuery(id).queryKey });
      throw error;
    }
    await finish(message);
  };
  const approve = () =>
    decide(
      callAdmin('POST /approvals/:id/approve', { id, revision }),
      t('approvals.approved', { name }),
    );
  const reject = () =>
    decide(
      callAdmin('POST /approvals/:id/reject', { id, revision, reason }),
      t('approvals.rejected', { name }),
    );
  const close = () => setOpen(null);
  return (
    <>
      <Button variant="default" leftSection={icon(IconX)} onClick={() => setOpen('reject')}>
        {t('approvals.reject')}
      </Button>
      <Button leftSection={icon(IconCheck)} onClick={() => setOpen('approve')}>
        {t('approvals.approve')}
      </Button>
      <ConfirmDialog
        isOpen={open === 'approve'}
        onClose={close}
        title={t('approvals.approveTitle', { name })}
        action={t('approvals.approve')}
        onConfirm={approve}
      >
        {t('approvals.approveText')}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={open === 'reject'}
        onClose={close}
        title={t('approvals.rejectTitle', { name })}
        action={t('approvals.reject')}
        onConfirm={reject}
        isDangerous
      >
        <Textarea
          label={t('approvals.reason')}
          description={t('approvals.reasonHint')}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={MAX_REASON_LENGTH}
          autosize
          minRows={2}
          data-autofocus
        />
      </ConfirmDialog>
    </>
  );
}
