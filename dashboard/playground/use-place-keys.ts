import type { KeyboardEvent } from 'react';
import type { MapView } from './map-view.ts';
import type { Place } from './place-picker.tsx';

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
export function usePlaceKeys(
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
