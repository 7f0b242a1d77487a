import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../app/tenant-in-use.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useFormat } from '../shared/use-format.ts';
import { type ApiKey, keysOf } from './key-queries.ts';
import { NewKey } from './new-key.tsx';

export interface RotateKeyProps {
  readonly apiKey: ApiKey | undefined;
  readonly onClose: () => void;
}

const OVERLAPS = [0, 1, 24, 72, 168] as const;

/** Replaces a key by one with a new text; both work for a while. */
export function RotateKey({ apiKey, onClose }: RotateKeyProps) {
  const { t } = useTranslation('keys');
  return (
    <Modal
      opened={apiKey !== undefined}
      onClose={onClose}
      title={t('rotate.title')}
      size="xl"
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {apiKey && <Rotation key={apiKey.id} apiKey={apiKey} onClose={onClose} />}
    </Modal>
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
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={rotate.isPending}>
            {t('rotate.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
