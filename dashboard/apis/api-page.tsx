import { Alert, Button, Modal, Skeleton, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconApiOff, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { icon, LinkButton } from '../shared/buttons.tsx';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { Facts } from '../shared/facts.tsx';
import { FailingNotice, isOfApi, useFailing } from '../shared/failing.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import classes from './api-facts.module.css';
import { ApiTabs } from './api-tabs.tsx';
import { Crumb } from './crumb.tsx';
import { LazyRefreshForm } from './lazy-parts.tsx';
import { type Api, type ApiPartProps, apiQuery, apisKey, isStatus } from './queries.ts';

/** One registered API. */
export function ApiPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant, canChange } = useTenant();
  const { api: id } = useParams({ from: '/signed-in/admin/apis/$api' });
  const api = useQuery(apiQuery(tenant, id));
  if (isStatus(api.error, 404)) return <DeletedApi />;
  if (!api.data) {
    return (
      <>
        <PageHeader title={t('title')} breadcrumbs={<Crumb />} />
        {api.error ? <ErrorAlert error={api.error} onRetry={api.refetch} /> : <Skeleton h={240} />}
      </>
    );
  }
  const { name, description } = api.data;
  return (
    <Stack gap="lg">
      <PageHeader
        title={name}
        breadcrumbs={<Crumb />}
        description={description}
        actions={canChange && <ApiActions tenant={tenant} api={api.data} />}
      />
      <FailingTools tenant={tenant} slug={api.data.slug} />
      <ApiFacts api={api.data} />
      <ApiTabs tenant={tenant} api={api.data} canChange={canChange} />
    </Stack>
  );
}

/** More are in the table of the API's tools. */
const MAX_NOTICES = 5;

/** The tools of the API that fail, and what repairs them. */
function FailingTools(api: { readonly tenant: string; readonly slug: string }) {
  const failing = useFailing(api.tenant).filter((tool) => isOfApi(tool, api));
  if (failing.length === 0) return null;
  return (
    <Alert color="red">
      <Stack gap={4}>
        {failing.slice(0, MAX_NOTICES).map((tool) => (
          <FailingNotice key={tool.toolId} failing={tool} withTool />
        ))}
      </Stack>
    </Alert>
  );
}

function DeletedApi() {
  const { t } = useTranslation('apis');
  return (
    <>
      <PageHeader title={t('api.goneTitle')} breadcrumbs={<Crumb />} />
      <EmptyState
        icon={IconApiOff}
        title={t('api.gone')}
        action={
          <LinkButton to="/admin/apis" variant="default">
            {t('api.back')}
          </LinkButton>
        }
      />
    </>
  );
}

/** What may be done with an API as a whole. */
function ApiActions({ tenant, api }: ApiPartProps) {
  const { t } = useTranslation('apis');
  const [open, setOpen] = useState<'refresh' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button variant="default" leftSection={icon(IconRefresh)} onClick={() => setOpen('refresh')}>
        {t('api.refresh')}
      </Button>
      <Button
        variant="default"
        c="var(--mantine-color-text)"
        leftSection={icon(IconTrash)}
        onClick={() => setOpen('delete')}
      >
        {t('api.delete')}
      </Button>
      <RefreshDialog tenant={tenant} api={api} isOpen={open === 'refresh'} onClose={close} />
      <DeleteDialog tenant={tenant} api={api} isOpen={open === 'delete'} onClose={close} />
    </>
  );
}

interface ApiDialogProps extends ApiPartProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteDialog({ tenant, api, isOpen, onClose }: ApiDialogProps) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id, name, toolIds } = api;
  const remove = async (): Promise<void> => {
    await callAdmin('DELETE /tenants/:tenant/registrations/:id', { tenant, id });
    notifications.show({ message: t('remove.done', { name }) });
    await navigate({ to: '/admin/apis' });
    await queries.invalidateQueries({ queryKey: apisKey(tenant) });
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={t('remove.title', { name })}
      action={t('api.delete')}
      onConfirm={remove}
      typed={name}
      isDangerous
    >
      {t('remove.text', { count: toolIds.length })}
    </ConfirmDialog>
  );
}

/** Takes the description again: first to compare, then to use it. */
function RefreshDialog({ isOpen, onClose, ...rest }: ApiDialogProps) {
  const { t } = useTranslation('apis');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('refresh.title', { name: rest.api.name })}
      size="xl"
    >
      <LazyRefreshForm {...rest} onClose={onClose} />
    </Modal>
  );
}

/** Where an API is and what it gets. */
function ApiFacts({ api }: { readonly api: Api }) {
  const { t } = useTranslation('apis');
  const { source, baseUrl, auth, origins } = api;
  return (
    <Facts
      className={classes.root}
      facts={[
        [t('column.base'), baseUrl],
        [t('api.source'), source.kind === 'address' ? source.address : t('job.asText')],
        [t('api.credential'), auth.set ? t('api.set', { type: auth.type }) : t('api.notSet')],
        ...(auth.set ? [[t('api.origins'), origins.join(', ')] as const] : []),
      ]}
    />
  );
}
