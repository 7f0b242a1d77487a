import { korea, surroundings, world } from 'virtual:map-outlines';
import { Group, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CityButtons } from './city-buttons.tsx';
import { KOREA, type MapView, placeAt, WORLD } from './map-view.ts';
import classes from './place-map.module.css';
import type { Place, PlacePickerProps } from './place-picker.tsx';
import { usePlaceKeys } from './use-place-keys.ts';

type ViewName = 'korea' | 'world';

/** A map of Korea or of the world: click, or move the marker with the arrow keys. */
function PlaceMap({ place, at, onChange }: PlacePickerProps) {
  const { t } = useTranslation('playground');
  const isKoreanOnly = place.longitude.max - place.longitude.min < 30;
  const [name, setName] = useState<ViewName>(isKoreanOnly || isIn(at, KOREA) ? 'korea' : 'world');
  const view = name === 'korea' ? KOREA : WORLD;
  const move = ({ latitude, longitude }: Place) =>
    onChange(within(latitude, place.latitude), within(longitude, place.longitude));
  return (
    <div className={classes.root}>
      {!isKoreanOnly && (
        <SegmentedControl
          size="xs"
          fullWidth
          value={name}
          onChange={(value) => setName(value === 'world' ? 'world' : 'korea')}
          data={[
            { value: 'korea', label: t('map.korea') },
            { value: 'world', label: t('map.world') },
          ]}
        />
      )}
      <Outlines view={view} isWorld={name === 'world'} at={at} onMove={move} />
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {t('map.hint')}
        </Text>
        <Text size="xs" ff="monospace" aria-live="polite">
          {at ? `${at.latitude}, ${at.longitude}` : '–'}
        </Text>
      </Group>
      <CityButtons isWorld={name === 'world'} onChoose={move} />
    </div>
  );
}

/** Four decimals are about ten metres. */
const within = (degrees: number, { min, max }: { readonly min: number; readonly max: number }) =>
  Number(Math.min(max, Math.max(min, degrees)).toFixed(4));

const isIn = (at: Place | null, { west, south, east, north }: MapView): boolean =>
  at === null ||
  (at.longitude > west && at.longitude < east && at.latitude > south && at.latitude < north);

interface OutlinesProps {
  readonly view: MapView;
  readonly isWorld: boolean;
  readonly at: Place | null;
  readonly onMove: (place: Place) => void;
}

function Outlines({ view, isWorld, at, onMove }: OutlinesProps) {
  const { t } = useTranslation('playground');
  const { west, south, east, north, stretch } = view;
  const onKeyDown = usePlaceKeys(view, at, onMove);
  return (
    <div
      role="application"
      aria-label={t('map.label')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move the marker.
      tabIndex={0}
      className={classes.map}
      onKeyDown={onKeyDown}
    >
      <svg
        viewBox={`${west} ${-north * stretch} ${east - west} ${(north - south) * stretch}`}
        onPointerDown={(event) => onMove(placeAt(event.currentTarget, event, view))}
        aria-hidden
      >
        <g transform={`scale(1 ${stretch})`}>
          <path d={isWorld ? world : surroundings} className={classes.land} />
          {!isWorld && <path d={korea} className={classes.korea} />}
        </g>
        {at && (
          <g transform={`translate(${at.longitude} ${-at.latitude * stretch})`}>
            <circle r={(east - west) / 60} className={classes.halo} />
            <circle r={(east - west) / 160} className={classes.dot} />
          </g>
        )}
      </svg>
    </div>
  );
}

// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports only.
export default PlaceMap;
