import type { Place } from './place-picker.tsx';

/** A part of the world as it is drawn: degrees, with the latitudes stretched as a map does. */
export interface MapView {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
  /** 1 / cos of the latitude in the middle, so that shapes look right there. */
  readonly stretch: number;
  /** Degrees that an arrow key moves the marker. */
  readonly step: number;
}

export const KOREA: MapView = {
  west: 123.6,
  south: 32.9,
  east: 132,
  north: 39,
  stretch: 1.236,
  step: 0.1,
};

export const WORLD: MapView = {
  west: -180,
  south: -60,
  east: 180,
  north: 84,
  stretch: 1.2,
  step: 2,
};

/** The place that a pointer is at. */
export function placeAt(
  svg: SVGSVGElement,
  { clientX, clientY }: { readonly clientX: number; readonly clientY: number },
  { stretch }: MapView,
): Place {
  const matrix = svg.getScreenCTM()?.inverse();
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix);
  return { latitude: -y / stretch, longitude: x };
}
