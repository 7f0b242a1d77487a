import { Button, Group, List, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { type ApiKey, keysOf } from './key-queries.ts';

interface RevokeChosenProps {
  /** At most those of one page. */
  readonly keys: readonly ApiKey[];
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** Revokes the keys that are chosen, one by one, once their number has been typed. Those that failed stay chosen. */
export function RevokeChosen({ keys, onChoose }: RevokeChosenProps) {
  const { t } = useTranslation('keys');
  const [isOpen, setOpen] = useState(false);
  const { revoke, failures } = useRevocation(keys, onChoose);
  const count = keys.length;
  return (
    <>
      {count > 0 && (
        <Group gap="xs" mb="xs" role="group" aria-label={t('bulk.label')}>
          <Text size="sm" role="status">
            {t('bulk.chosen', { count })}
          </Text>
          <Button
            size="xs"
            color="red.8"
            leftSection={icon(IconTrash)}
            onClick={() => setOpen(true)}
          >
            {t('bulk.revoke')}
          </Button>
          <Button size="xs" variant="default" onClick={() => onChoose(new Set())}>
            {t('bulk.clear')}
          </Button>
        </Group>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('bulk.title', { count })}
        action={t('revoke.submit')}
        isDangerous
        typed={String(count)}
        onConfirm={revoke}
      >
        {t('bulk.text')}
        <List size="sm" mt="xs">
          {keys.map(({ id, name }) => (
            <List.Item key={id}>
              {name}
              {failures.has(id) && (
                <Text size="xs" c="var(--outcome-gateway)">
                  {failures.get(id)}
                </Text>
              )}
            </List.Item>
          ))}
        </List>
      </ConfirmDialog>
    </>
  );
}

/** Revokes keys, and keeps why some could not be, by id. */
function useRevocation(keys: readonly ApiKey[], onChoose: RevokeChosenProps['onChoose']) {
  const { t } = useTranslation('keys');
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  const [failures, setFailures] = useState<ReadonlyMap<string, string>>(new Map());
  const revoke = async (): Promise<void> => {
    const failed = new Map<string, string>();
    for (const { id } of keys) {
      await callAdmin('DELETE /tenants/:tenant/keys/:id', { tenant, id }).catch((error: Error) =>
        failed.set(id, error.message),
      );
    }
    setFailures(failed);
    onChoose(new Set(failed.keys()));
    await queries.invalidateQueries({ queryKey: keysOf(tenant) });
    if (failed.size > 0) throw new Error(t('bulk.failed', { count: failed.size }));
  };
  return { revoke, failures };
}
