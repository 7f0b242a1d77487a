import type { UpstreamFamily } from '../upstream-family.ts';
import { dataPortal } from './data-portal.ts';
import { frankfurter } from './frankfurter.ts';
import { heritage } from './heritage.ts';
import { openMeteo } from './open-meteo.ts';
import { plain } from './plain.ts';
import { tour } from './tour.ts';
import { worldBank } from './world-bank.ts';

/** The first that fits counts: narrower addresses stand before wider ones. */
const FAMILIES = [tour, dataPortal, openMeteo, worldBank, frankfurter, heritage];

/** The family of the upstream at this base address. */
export const familyOf = (baseUrl: string): UpstreamFamily =>
  FAMILIES.find(({ addresses }) => addresses.some((start) => baseUrl.startsWith(start))) ?? plain;
