import type { Field, Schema } from './read-fields.ts';

/** One of the two arguments that name a place. */
export interface PlaceField {
  /** Among the fields. */
  readonly position: number;
  readonly min: number;
  readonly max: number;
}

export interface PlaceFields {
  readonly latitude: PlaceField;
  readonly longitude: PlaceField;
}

export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

export interface PlacePickerProps {
  readonly place: PlaceFields;
  /** Null: none is chosen yet. */
  readonly at: Place | null;
  readonly onChange: (latitude: number, longitude: number) => void;
}

/** Names of arguments in degrees; mapX and mapY are those of Korean tourism data. */
const PAIRS = [
  { latitude: /^lat(itude)?$/i, longitude: /^(lon|lng|long|longitude)$/i },
  { latitude: /^mapY$/i, longitude: /^mapX$/i },
];

/** The arguments of a tool that name a place on the map; null if it has none. */
export function findPlace(fields: readonly Field[]): PlaceFields | null {
  for (const { latitude, longitude } of PAIRS) {
    const [lat, lon] = [find(fields, latitude, 90), find(fields, longitude, 180)];
    if (lat && lon) return { latitude: lat, longitude: lon };
  }
  return null;
}

function find(fields: readonly Field[], name: RegExp, limit: number): PlaceField | null {
  const position = fields.findIndex((field) => name.test(field.name) && field.kind === 'number');
  const schema = fields[position]?.schema;
  if (!schema) return null;
  return {
    position,
    min: Math.max(-limit, numberIn(schema, 'minimum', -limit)),
    max: Math.min(limit, numberIn(schema, 'maximum', limit)),
  };
}

function numberIn(schema: Schema, name: string, otherwise: number): number {
  const value = schema[name];
  return typeof value === 'number' ? value : otherwise;
}
