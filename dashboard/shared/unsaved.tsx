import { Modal, type ModalProps } from '@mantine/core';
// biome-ignore lint/suspicious/noDeprecatedImports: only its older signatures are deprecated.
import { useBlocker } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** Called in place of closing the dialog, while it is held open. */
type Refuse = () => void;

interface DialogHold {
  readonly refuse: RefObject<Refuse | null>;
  readonly close: () => void;
}

const Hold = createContext<DialogHold>({ refuse: { current: null }, close: () => {} });

/** Holds the HeldDialog around this open, such as while a secret is created. Returns what closes it all the same. */
export function useHold(isHeld: boolean, refuse: Refuse = () => {}): () => void {
  const hold = useContext(Hold);
  useEffect(() => {
    // Something else within the dialog may hold it.
    if (!isHeld) return undefined;
    hold.refuse.current = refuse;
    return () => {
      hold.refuse.current = null;
    };
  });
  return hold.close;
}

/** A dialog that what is in it can hold: then neither Esc, a click beside it nor its X closes it. */
export function HeldDialog({ onClose, children, ...props }: ModalProps) {
  const { t } = useTranslation('shared');
  const refuse = useRef<Refuse | null>(null);
  const close = (): void => (refuse.current ?? onClose)();
  return (
    // Esc belongs to the dialog on top.
    <Modal.Stack>
      <Modal
        {...props}
        stackId="held"
        onClose={close}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Hold value={{ refuse, close: onClose }}>{children}</Hold>
      </Modal>
    </Modal.Stack>
  );
}

const always = (): boolean => true;

/**
 * Asks before what was entered is lost, because the page is left or the HeldDialog around the form is closed. Returns the
 * question, to render anywhere. Browsers ask themselves before the tab is closed.
 */
export function useUnsavedGuard(isUnsaved: boolean): ReactNode {
  const { t } = useTranslation('shared');
  const [isClosing, setClosing] = useState(false);
  const close = useHold(isUnsaved, () => setClosing(true));
  const page = useBlocker({ disabled: !isUnsaved, shouldBlockFn: always, withResolver: true });
  const stay = (): void => {
    setClosing(false);
    page.reset?.();
  };
  const leave = async (): Promise<void> => (isClosing ? close() : page.proceed?.());
  return (
    <ConfirmDialog
      isOpen={isClosing || page.status === 'blocked'}
      onClose={stay}
      title={t('unsaved.title')}
      cancel={t('unsaved.stay')}
      action={t('unsaved.leave')}
      onConfirm={leave}
      isDangerous
    >
      {t('unsaved.text')}
    </ConfirmDialog>
  );
}
