import type { Field, Schema } from './read-fields.ts';

export interface ArrangedFields {
  /** In the order in which people need them. */
  readonly fields: readonly Field[];
  /** How many of them a form shows; the rest is folded. */
  readonly shown: number;
}

/** Optional arguments beyond these are folded, unless they name a place. */
const MAX_SHOWN = 6;

const NAMES =
  /^(q|query|keyword|title|addr|address|place|city|region|area|country|station|search.*)$|(name|nm)\d*$/i;
/** What the gateway fills in: cells of a grid for a place, and the publication to ask for. */
const FILLED_IN = /^(nx|ny|base_?(date|time)|basedatetime)$/i;
const PAGING =
  /^(c(ur)?page|page([_A-Z].*)?|(start|result)count|(num_?of_?)?rows|limit|offset|cursor|skip|size)$|(per_?page)$/i;
/** Positions of rows, where they are numbers; else times. */
const POSITION = /^(start|end)$/i;
const FORMAT =
  /^(sort|order|arrange)([_A-Z].*|by)?$|^(fields|expand|include|exclude|format|lang|langcode|timezone|ver|version|callback)$|_(format|unit)$/i;

/** Where an argument belongs: the lower, the earlier. */
const RANK = {
  required: 0,
  place: 1,
  name: 2,
  plain: 3,
  filledIn: 4,
  paging: 5,
  format: 6,
  own: 7,
};

/**
 * Puts the essential arguments first: the required ones, then those that people mean, such as a place or a name; last
 * come pages, formats and the gateway's own (`_fields`). Within a rank, the order of the schema stays.
 */
export function arrangeFields(fields: readonly Field[]): ArrangedFields {
  const place = findPlace(fields);
  const ranked = fields.map((field, at) => {
    const isPlace = at === place?.latitude.position || at === place?.longitude.position;
    return { field, rank: isPlace && !field.isRequired ? RANK.place : rankOf(field) };
  });
  const upTo = (most: number) => ranked.filter(({ rank }) => rank <= most).length;
  return {
    fields: ranked.toSorted((a, b) => a.rank - b.rank).map(({ field }) => field),
    shown: Math.max(upTo(RANK.place), Math.min(upTo(RANK.plain), MAX_SHOWN)),
  };
}

function rankOf({ name, kind, isRequired }: Field): number {
  if (isRequired) return RANK.required;
  if (name.startsWith('_')) return RANK.own;
  if (FILLED_IN.test(name)) return RANK.filledIn;
  if (PAGING.test(name) || (kind === 'integer' && POSITION.test(name))) return RANK.paging;
  if (FORMAT.test(name)) return RANK.format;
  return kind === 'text' && NAMES.test(name) ? RANK.name : RANK.plain;
}

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

/** Names of arguments in degrees; Korean tourism data has mapX and mapY. */
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
