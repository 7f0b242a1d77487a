import { useRouterState } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

/** The path whose heading was last shown. On the first page, the focus stays where the browser puts it. */
let shownPath: string | null = null;
/** Whether that page was navigated to, so that its heading has received the focus. */
let isNavigated = false;

/** A dialog that led here gives up the focus only after it has closed. */
const AFTER_DIALOG_MS = 60;

/** A heading that receives the focus when its page has been navigated to, so that screen readers announce it. */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    if (path === undefined) return;
    const focus = () => heading.current?.focus({ preventScroll: true });
    const focusIfLost = () => document.activeElement === document.body && focus();
    if (path === shownPath) {
      // The heading of a page that was being loaded has been replaced by that of the loaded one.
      if (isNavigated) focusIfLost();
      return;
    }
    isNavigated = shownPath !== null;
    shownPath = path;
    if (!isNavigated) return;
    focus();
    setTimeout(focusIfLost, AFTER_DIALOG_MS);
  }, [path]);
  return heading;
}
