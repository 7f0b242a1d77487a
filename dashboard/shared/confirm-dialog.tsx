import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from './page.tsx';

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What will happen, and whether it can be undone. */
  readonly children: ReactNode;
  /** The verb on the button, such as "Revoke". */
  readonly action: string;
  /** The button that closes the dialog; "Cancel" by default. */
  readonly cancel?: string;
  /** Does it. The dialog closes when the promise resolves, and shows its error otherwise. */
  readonly onConfirm: () => Promise<unknown>;
  readonly isDangerous?: boolean;
  /** What must be typed first, for what cannot be undone. */
  readonly typed?: string;
}

export function ConfirmDialog({ isOpen, onClose, title, ...rest }: ConfirmDialogProps) {
  const { t } = useTranslation('shared');
  const closeButtonProps = { 'aria-label': t('close') };
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      closeButtonProps={closeButtonProps}
      // Within the stack of the dialog that it is about, if there is one.
      stackId="confirm"
      centered
    >
      <Confirmation {...rest} onClose={onClose} />
    </Modal>
  );
}

function Confirmation(props: Omit<ConfirmDialogProps, 'isOpen' | 'title'>) {
  const { t } = useTranslation('shared');
  const { onClose, children, action, cancel, onConfirm, isDangerous = false, typed } = props;
  const [text, setText] = useState('');
  const confirm = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const isReady = typed === undefined || text.trim() === typed;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // React passes it on to the form around the dialog.
        event.stopPropagation();
        if (isReady) confirm.mutate();
      }}
    >
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        {typed !== undefined && (
          <TextInput
            label={t('confirm.type', { typed })}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {confirm.error && <ErrorAlert error={confirm.error} />}
        <DialogButtons
          onClose={onClose}
          action={action}
          cancel={cancel}
          isPending={confirm.isPending}
          isDisabled={!isReady}
          isDangerous={isDangerous}
        />
      </Stack>
    </form>
  );
}

interface DialogButtonsProps {
  readonly onClose: () => void;
  readonly action: string;
  readonly cancel?: string | undefined;
  readonly isPending: boolean;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
}

/** The buttons of a form in a dialog: one that closes it, and one that submits it. */
export function DialogButtons(props: DialogButtonsProps) {
  const { onClose, action, isPending, isDisabled = false, isDangerous = false } = props;
  const { t } = useTranslation('shared');
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onClose}>
        {props.cancel ?? t('confirm.cancel')}
      </Button>
      <Button
        type="submit"
        {...(isDangerous && { color: 'red.8' })}
        disabled={isDisabled}
        loading={isPending}
      >
        {action}
      </Button>
    </Group>
  );
}
