import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { SecretOnce } from '../shared/secret-once.tsx';

interface Person {
  readonly id: string;
  readonly name: string;
}

interface PasswordResetProps {
  /** Null: the dialog is closed. */
  readonly person: Person | null;
  readonly onClose: () => void;
}

/** Gives a person a new password, which is shown once. */
export function PasswordReset({ person, onClose }: PasswordResetProps) {
  const { t } = useTranslation('people');
  return (
    <Modal opened={person !== null} onClose={onClose} title={t('everyone.reset')} centered>
      {person && <Resetting person={person} onClose={onClose} />}
    </Modal>
  );
}

function Resetting({ person, onClose }: { person: Person; onClose: () => void }) {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const reset = useMutation({
    mutationFn: () => callAdmin('POST /people/:person/password', { person: person.id }),
    // A person whose address was unproved is replaced.
    onSuccess: () => queries.invalidateQueries({ queryKey: ['people'] }),
  });
  return (
    <Stack>
      {reset.error && <ErrorAlert error={reset.error} />}
      {reset.data ? (
        <SecretOnce secret={reset.data.password} label={t('everyone.newPassword')} />
      ) : (
        <Text size="sm">{t('everyone.resetText', { name: person.name })}</Text>
      )}
      <Group justify="flex-end" gap="xs">
        {reset.data ? (
          <Button onClick={onClose}>{t('done')}</Button>
        ) : (
          <Button color="red.8" loading={reset.isPending} onClick={() => reset.mutate()}>
            {t('everyone.reset')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
