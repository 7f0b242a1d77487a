import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { LiveView } from './use-live-feed.ts';

const COLOURS = { open: 'celadon', connecting: 'yellow', ended: 'red' } as const;

/** Whether the calls on the screen are those of this moment. */
export function LiveStatus({ view: { state, isPaused } }: { readonly view: LiveView }) {
  const { t } = useTranslation('live');
  const isHeld = isPaused && state === 'open';
  return (
    <Badge variant="light" color={isHeld ? 'gray' : COLOURS[state]} role="status">
      {t(isHeld ? 'state.paused' : `state.${state}`)}
    </Badge>
  );
}
