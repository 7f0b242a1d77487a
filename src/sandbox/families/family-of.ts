import type { UpstreamFamily } from '../upstream-family.ts';
import { airKorea } from './air-korea.ts';
import { artInstitute } from './art-institute.ts';
import { dart } from './dart.ts';
import { dataPortal } from './data-portal.ts';
import { data4library } from './data4library.ts';
import { ecos } from './ecos.ts';
import { exim } from './exim.ts';
import { frankfurter } from './frankfurter.ts';
import { fsc } from './fsc.ts';
import { heritage } from './heritage.ts';
import { hrfco } from './hrfco.ts';
import { kasi } from './kasi.ts';
import { khoa } from './khoa.ts';
import { kofic } from './kofic.ts';
import { kopis } from './kopis.ts';
import { kosis } from './kosis.ts';
import { odcloud } from './odcloud.ts';
import { openLibrary } from './open-library.ts';
import { openMeteo } from './open-meteo.ts';
import { opinet } from './opinet.ts';
import { plain } from './plain.ts';
import { portalXml } from './portal-xml.ts';
import { procurement } from './procurement.ts';
import { standardData } from './standard-data.ts';
import { tour } from './tour.ts';
import { worldBank } from './world-bank.ts';

/** The first match counts, so narrower addresses precede wider ones. */
const FAMILIES = [
  tour,
  fsc,
  portalXml,
  airKorea,
  kasi,
  khoa,
  procurement,
  dataPortal,
  odcloud,
  standardData,
  openMeteo,
  worldBank,
  frankfurter,
  heritage,
  kopis,
  kofic,
  data4library,
  artInstitute,
  openLibrary,
  hrfco,
  exim,
  ecos,
  kosis,
  dart,
  opinet,
];

/** The family of the upstream at this base address. */
export const familyOf = (baseUrl: string): UpstreamFamily =>
  FAMILIES.find(({ addresses }) => addresses.some((start) => baseUrl.startsWith(start))) ?? plain;
