import { Alert, Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { type AdminAnswer, callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { useCheckedForm } from '../shared/checked-form.tsx';
import { DialogButtons } from '../shared/confirm-dialog.tsx';
import { ErrorAlert } from '../shared/page.tsx';
import { HeldDialog, useHold, useUnsavedGuard } from '../shared/unsaved.tsx';
import { useFormat } from '../shared/use-format.ts';
import { KeyFields } from './key-fields.tsx';
import { changesOf, EMPTY_FORM, formOf, type KeyFormValues, newKeyOf } from './key-form.ts';
import type { KeyAction } from './key-list.tsx';
import { type ApiKey, keysOf } from './key-queries.ts';
import { NewKey } from './new-key.tsx';

/** Which dialog is open, and for which key. */
export type Open =
  | { readonly action: 'create' }
  | { readonly action: KeyAction; readonly key: ApiKey };

interface KeyDialogsProps {
  readonly open: Open | null;
  readonly onOpen: (open: Open | null) => void;
}

/** The dialogs with a form. */
export function KeyDialogs({ open, onOpen }: KeyDialogsProps) {
  const close = () => onOpen(null);
  return (
    <>
      <CreateKey isOpen={open?.action === 'create'} onClose={close} />
      <ChangeKey
        apiKey={open?.action === 'change' ? open.key : undefined}
        onClose={close}
        onReload={(key) => onOpen({ action: 'change', key })}
      />
      <RotateKey apiKey={open?.action === 'rotate' ? open.key : undefined} onClose={close} />
    </>
  );
}

/** Creates a key, and then shows its text until the dialog is closed. */
function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('keys');
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  const create = useMutation({
    mutationFn: (values: KeyFormValues) =>
      callAdmin('POST /tenants/:tenant/keys', { tenant, ...newKeyOf(values, Date.now()) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysOf(tenant) }),
    // The text of the key is nowhere but in the open dialog.
    gcTime: 0,
  });
  const close = (): void => {
    create.reset();
    onClose();
  };
  return (
    <HeldDialog
      opened={isOpen}
      onClose={close}
      title={create.data ? t('created.title') : t('create.title')}
      size={create.data ? 'xl' : 'lg'}
    >
      {create.data ? (
        <NewKey text={create.data.text} onDone={close} />
      ) : (
        <CreateForm onClose={close} create={create} />
      )}
    </HeldDialog>
  );
}

interface CreateFormProps {
  readonly onClose: () => void;
  readonly create: ReturnType<
    typeof useMutation<AdminAnswer<'POST /tenants/:tenant/keys'>, Error, KeyFormValues>
  >;
}

function CreateForm({ onClose, create }: CreateFormProps) {
  const { t } = useTranslation('keys');
  const form = useForm<KeyFormValues>({ initialValues: EMPTY_FORM });
  const guard = useUnsavedGuard(form.isDirty());
  const checked = useCheckedForm(form.onSubmit((values) => create.mutate(values)));
  useHold(create.isPending);
  return (
    <form {...checked.form}>
      {guard}
      <Stack>
        <KeyFields form={form} field={checked.field} />
        {create.error && <ErrorAlert error={create.error} />}
        <DialogButtons onClose={onClose} action={t('create.open')} isPending={create.isPending} />
      </Stack>
    </form>
  );
}

interface ChangeKeyProps {
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
  /** Called with the present state of the key, if another person has changed it. */
  readonly onReload: (key: ApiKey) => void;
}

/** Changes a key without a new text. */
function ChangeKey({ apiKey, onClose, onReload }: ChangeKeyProps) {
  const { t } = useTranslation('keys');
  return (
    <HeldDialog opened={apiKey !== undefined} onClose={onClose} title={t('change.title')} size="lg">
      {apiKey && (
        <ChangeForm
          key={`${apiKey.id} ${apiKey.revision}`}
          apiKey={apiKey}
          onClose={onClose}
          onReload={onReload}
        />
      )}
    </HeldDialog>
  );
}

type ChangeFormProps = ChangeKeyProps & { readonly apiKey: ApiKey };

function ChangeForm({ apiKey, onClose, onReload }: ChangeFormProps) {
  const { t } = useTranslation('keys');
  const form = useForm<KeyFormValues>({ initialValues: formOf(apiKey) });
  const guard = useUnsavedGuard(form.isDirty());
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  const { id, revision } = apiKey;
  const refresh = () => queries.invalidateQueries({ queryKey: keysOf(tenant) });
  const change = useMutation({
    mutationFn: (values: KeyFormValues) => {
      const changes = changesOf(values, apiKey, Date.now());
      return callAdmin('PATCH /tenants/:tenant/keys/:id', { tenant, id, revision, ...changes });
    },
    onSuccess: async () => {
      onClose();
      await refresh();
    },
  });
  const reload = useMutation({
    mutationFn: () => callAdmin('GET /tenants/:tenant/keys/:id', { tenant, id }),
    onSuccess: async (key) => {
      onReload(key);
      await refresh();
    },
  });
  const checked = useCheckedForm(form.onSubmit((values) => change.mutate(values)));
  const isConflict = change.error instanceof AdminError && change.error.status === 409;
  return (
    <form {...checked.form}>
      {guard}
      <Stack>
        <KeyFields form={form} field={checked.field} currentExpiry={apiKey.expiresAt} />
        {isConflict ? (
          <Alert color="yellow" role="alert" title={t('conflict.title')}>
            <Stack gap="xs" align="flex-start">
              {t('conflict.text')}
              <Button
                size="xs"
                variant="default"
                loading={reload.isPending}
                onClick={() => reload.mutate()}
              >
                {t('conflict.reload')}
              </Button>
            </Stack>
          </Alert>
        ) : (
          change.error && <ErrorAlert error={change.error} />
        )}
        {reload.error && <ErrorAlert error={reload.error} />}
        <DialogButtons
          onClose={onClose}
          action={t('change.submit')}
          isPending={change.isPending}
          isDisabled={isConflict}
        />
      </Stack>
    </form>
  );
}

interface RotateKeyProps {
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}

const OVERLAPS = [0, 1, 24, 72, 168] as const;

/** Replaces a key by one with a new text; both work for a while. */
function RotateKey({ apiKey, onClose }: RotateKeyProps) {
  const { t } = useTranslation('keys');
  return (
    <HeldDialog opened={apiKey !== undefined} onClose={onClose} title={t('rotate.title')} size="xl">
      {apiKey && <Rotation key={apiKey.id} apiKey={apiKey} onClose={onClose} />}
    </HeldDialog>
  );
}

function Rotation({ apiKey, onClose }: RotateKeyProps & { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const [overlapHours, setOverlap] = useState(24);
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  const { id, revision, name } = apiKey;
  const rotate = useMutation({
    mutationFn: () =>
      callAdmin('POST /tenants/:tenant/keys/:id/rotate', { tenant, id, revision, overlapHours }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysOf(tenant) }),
    gcTime: 0,
  });
  useHold(rotate.isPending);
  if (rotate.data) {
    const { expiresAt, revokedAt } = rotate.data.replaced;
    return (
      <Stack>
        <Text size="sm">
          {revokedAt === null && expiresAt !== null
            ? t('rotate.worksUntil', { time: format.time(expiresAt) })
            : t('rotate.ended')}
        </Text>
        <NewKey text={rotate.data.text} onDone={onClose} />
      </Stack>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rotate.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{t('rotate.text', { name })}</Text>
        <NativeSelect
          label={t('rotate.overlap')}
          value={String(overlapHours)}
          onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}
          data={OVERLAPS.map((hours) => ({
            value: String(hours),
            label: t(`rotate.hours${hours}`),
          }))}
          data-autofocus
        />
        {rotate.error && <ErrorAlert error={rotate.error} />}
        <DialogButtons onClose={onClose} action={t('rotate.submit')} isPending={rotate.isPending} />
      </Stack>
    </form>
  );
}
