import { type ArgumentIssue, GatewayError } from '../platform/kernel/error.ts';
import { toGrid } from './grid.ts';

// The edges of the grid are curved; this is its bounding box.
const COVERED_AREA =
  'about 31.6 to 43.5 degrees north and 123.3 to 132.8 degrees east (Korea and its seas)';

const fail = (...errors: ArgumentIssue[]): never => {
  const [first] = errors;
  const sentence = first && `${first.path} ${first.message}`.trim();
  throw new GatewayError('invalid_arguments', sentence, { details: { errors } });
};

const missing = (name: string, given: string): never =>
  fail({ path: `/${name}`, message: `is required together with ${given}.` });

function degrees(name: string, value: unknown): number {
  return typeof value === 'number'
    ? value
    : fail({ path: `/${name}`, message: 'must be a number, in degrees.' });
}

/**
 * Converts `lat` and `lon` to `nx` and `ny` (docs/contract.md#public-data-middleware). If the caller gives both `nx` and
 * `ny`, these take precedence. Throws `invalid_arguments` for half a pair, no pair, or a point outside the grid.
 */
export function applyGrid(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { lat, lon, ...rest } = args;
  const { nx, ny } = rest;
  if (nx !== undefined && ny !== undefined) return rest;
  if (nx !== undefined) return missing('ny', 'nx');
  if (ny !== undefined) return missing('nx', 'ny');
  if (lat === undefined && lon === undefined) {
    return fail({ path: '', message: 'Give either nx and ny, or lat and lon.' });
  }
  if (lon === undefined) return missing('lon', 'lat');
  if (lat === undefined) return missing('lat', 'lon');
  const cell = toGrid(degrees('lat', lat), degrees('lon', lon));
  const message = `is outside the forecast grid. Allowed: ${COVERED_AREA}.`;
  return cell ? { ...rest, ...cell } : fail({ path: '/lat', message }, { path: '/lon', message });
}
