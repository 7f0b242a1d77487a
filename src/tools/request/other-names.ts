import { own } from '../../platform/kernel/plain-json.ts';

/** The names of one argument, across the APIs that have it. */
const SAME = [
  ['lat', 'latitude', 'mapY'],
  ['lon', 'lng', 'long', 'longitude', 'mapX'],
] as const;

/** Arguments that name a place. */
const PLACES = ['place', 'location', 'city'] as const;

type Arguments = Readonly<Record<string, unknown>>;

const knownName = (names: readonly string[], properties: Arguments): string | undefined =>
  names.find((name) => Object.hasOwn(properties, name));

/** The tool's own name of an argument that it knows by another; undefined for any other argument. */
export function ownName(name: string, properties: Arguments): string | undefined {
  if (Object.hasOwn(properties, name)) return undefined;
  const names = SAME.find((candidates) => candidates.some((candidate) => candidate === name));
  return names && knownName(names, properties);
}

/** A place that is named where the tool takes coordinates, and the tool's names of these. */
export interface NamedPlace {
  readonly name: string;
  readonly text: string;
  readonly lat: string;
  readonly lon: string;
}

/** The place that the arguments name instead of coordinates; undefined if the tool has no coordinates, or they are given. */
export function namedPlace(args: Arguments, properties: Arguments): NamedPlace | undefined {
  const [lat, lon] = SAME.map((names) => knownName(names, properties));
  if (lat === undefined || lon === undefined || isGiven(args, lat) || isGiven(args, lon))
    return undefined;
  const named = PLACES.filter((name) => Object.hasOwn(args, name));
  const [name] = named;
  const text = name === undefined ? undefined : own(args, name);
  if (name === undefined || named.length > 1 || Object.hasOwn(properties, name)) return undefined;
  return typeof text === 'string' && text.trim() !== ''
    ? { name, text: text.trim(), lat, lon }
    : undefined;
}

const isGiven = (args: Arguments, name: string): boolean => (own(args, name) ?? null) !== null;
