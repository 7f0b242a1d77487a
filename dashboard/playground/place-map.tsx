import { korea, surroundings, world } from 'virtual:map-outlines';
import { Group, SegmentedControl, Text, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Hint } from '../shared/page.tsx';
import { useLanguage } from '../texts/language.ts';
import type { Place, PlacePickerProps } from './arrange-fields.ts';
import classes from './place-map.module.css';

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
        <Hint size="xs">{t('map.hint')}</Hint>
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

/** Directions: north and east are positive. */
const KEYS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [1, 0],
  ArrowDown: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};
/** With Shift. */
const FAST = 5;

/** Moves a place with the arrow keys; without one, starts in the middle of the view. */
function usePlaceKeys(
  { west, south, east, north, step }: MapView,
  at: Place | null,
  onMove: (place: Place) => void,
): (event: KeyboardEvent) => void {
  return (event) => {
    const direction = KEYS[event.key];
    if (!direction) return;
    event.preventDefault();
    const from = at ?? { latitude: (south + north) / 2, longitude: (west + east) / 2 };
    const distance = step * (event.shiftKey ? FAST : 1);
    const [up, right] = direction;
    onMove({
      latitude: from.latitude + up * distance,
      longitude: from.longitude + right * distance,
    });
  };
}

/** A part of the world as it is drawn: degrees, with the latitudes stretched as a map does. */
interface MapView {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  /** 1 / cos of the latitude in the middle, so that shapes look right there. */
  readonly stretch: number;
  /** Degrees that an arrow key moves the marker. */
  readonly step: number;
}

const KOREA: MapView = {
  west: 123.6,
  south: 32.9,
  east: 132,
  north: 39,
  stretch: 1.236,
  step: 0.1,
};

const WORLD: MapView = { west: -180, south: -60, east: 180, north: 84, stretch: 1.2, step: 2 };

/** The place that a pointer is at. */
function placeAt(
  svg: SVGSVGElement,
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
  { stretch }: MapView,
): Place {
  const matrix = svg.getScreenCTM()?.inverse();
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix);
  return { latitude: -y / stretch, longitude: x };
}

interface City extends Place {
  readonly en: string;
  readonly ko: string;
}

const KOREAN_CITIES: readonly City[] = [
  { en: 'Seoul', ko: '서울', latitude: 37.5665, longitude: 126.978 },
  { en: 'Incheon', ko: '인천', latitude: 37.4563, longitude: 126.7052 },
  { en: 'Gangneung', ko: '강릉', latitude: 37.7519, longitude: 128.8761 },
  { en: 'Daejeon', ko: '대전', latitude: 36.3504, longitude: 127.3845 },
  { en: 'Daegu', ko: '대구', latitude: 35.8714, longitude: 128.6014 },
  { en: 'Gwangju', ko: '광주', latitude: 35.1595, longitude: 126.8526 },
  { en: 'Busan', ko: '부산', latitude: 35.1796, longitude: 129.0756 },
  { en: 'Jeju', ko: '제주', latitude: 33.4996, longitude: 126.5312 },
];

const WORLD_CITIES: readonly City[] = [
  { en: 'Seoul', ko: '서울', latitude: 37.5665, longitude: 126.978 },
  { en: 'Tokyo', ko: '도쿄', latitude: 35.6764, longitude: 139.65 },
  { en: 'London', ko: '런던', latitude: 51.5074, longitude: -0.1278 },
  { en: 'New York', ko: '뉴욕', latitude: 40.7128, longitude: -74.006 },
  { en: 'São Paulo', ko: '상파울루', latitude: -23.5558, longitude: -46.6396 },
  { en: 'Nairobi', ko: '나이로비', latitude: -1.2864, longitude: 36.8172 },
  { en: 'Sydney', ko: '시드니', latitude: -33.8688, longitude: 151.2093 },
];

interface CityButtonsProps {
  readonly isWorld: boolean;
  readonly onChoose: (place: Place) => void;
}

/** Places by name, for those who cannot point at them. */
function CityButtons({ isWorld, onChoose }: CityButtonsProps) {
  const language = useLanguage();
  return (
    <div className={classes.cities}>
      {(isWorld ? WORLD_CITIES : KOREAN_CITIES).map((city) => (
        <UnstyledButton key={city.en} className={classes.city} onClick={() => onChoose(city)}>
          {city[language]}
        </UnstyledButton>
      ))}
    </div>
  );
}
