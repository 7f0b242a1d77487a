import { Button } from '@mantine/core';
import { useState } from 'react';
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx';

interface RowActionProps {
  /** The verb, such as "Rename". */
  readonly label: string;
  /** The same with what the row is of, for screen readers. */
  readonly name: string;
  readonly onClick: () => void;
  readonly isPending?: boolean;
  readonly isDangerous?: boolean;
}

/** The small button in the last column of a table. */
export const RowAction = ({ label, name, isDangerous = false, ...rest }: RowActionProps) => (
  <Button
    size="compact-sm"
    variant="subtle"
    {...(isDangerous && { color: 'red' })}
    aria-label={name}
    loading={rest.isPending ?? false}
    onClick={rest.onClick}
  >
    {label}
  </Button>
);

interface AskingRowActionProps
  extends Pick<RowActionProps, 'label' | 'name'>,
    Pick<ConfirmDialogProps, 'title' | 'onConfirm' | 'children'> {}

/** A RowAction for what cannot be undone: it asks first. */
export function AskingRowAction({ label, name, ...dialog }: AskingRowActionProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <RowAction label={label} name={name} onClick={() => setAsking(true)} isDangerous />
      <ConfirmDialog
        {...dialog}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action={label}
        isDangerous
      />
    </>
  );
}
