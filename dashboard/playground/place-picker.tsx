import { Button, Skeleton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMapPin } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { icon } from '../shared/buttons.tsx';
import type { PlacePickerProps } from './place-fields.ts';

const PlaceMap = lazy(() => import('./place-map.tsx'));

/** Opens the map, which is loaded only then. */
export function PlacePicker(props: PlacePickerProps) {
  const { t } = useTranslation('playground');
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <div>
      <Button
        size="xs"
        variant="default"
        onClick={toggle}
        aria-expanded={isOpen}
        leftSection={icon(IconMapPin)}
      >
        {t(isOpen ? 'map.close' : 'map.open')}
      </Button>
      {isOpen && (
        <Suspense fallback={<Skeleton height={320} mt="xs" />}>
          <PlaceMap {...props} />
        </Suspense>
      )}
    </div>
  );
}
