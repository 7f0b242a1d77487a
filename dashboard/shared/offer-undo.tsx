import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import i18next from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { ErrorMessage } from './page.tsx';

/** Long enough to read, and to reach the button with the keyboard. */
const SHOWN_MS = 20_000;

/** Says what was done, and offers to set it back: with a second operation, which is recorded as the first. */
export function offerUndo(message: string, setBack: () => Promise<unknown>): void {
  const id = notifications.show({
    message: <Undo message={message} setBack={setBack} onDone={() => notifications.hide(id)} />,
    autoClose: SHOWN_MS,
    closeButtonProps: { 'aria-label': i18next.t('close', { ns: 'shared' }) },
  });
}

interface UndoProps {
  readonly message: string;
  readonly setBack: () => Promise<unknown>;
  readonly onDone: () => void;
}

function Undo({ message, setBack, onDone }: UndoProps) {
  const { t } = useTranslation('shared');
  const [isPending, setPending] = useState(false);
  const undo = async (): Promise<void> => {
    setPending(true);
    await setBack().then(
      () => notifications.show({ message: t('undo.done') }),
      (error: Error) => notifications.show({ message: <Failure error={error} />, color: 'red' }),
    );
    onDone();
  };
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      {message}
      <Button size="compact-sm" variant="default" loading={isPending} onClick={undo}>
        {t('undo.label')}
      </Button>
    </Group>
  );
}

const Failure = ({ error }: { readonly error: Error }) => (
  <ErrorMessage
    code={error instanceof AdminError ? error.code : undefined}
    message={error.message}
  />
);
