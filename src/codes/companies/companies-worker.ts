import { parentPort } from 'node:worker_threads';
import { unzipSync } from 'fflate';
import { SaxesParser } from 'saxes';
import {
  COMPANY_LIMITS,
  type Company,
  type CompanyIndex,
  indexCompanies,
  storeCompanies,
} from './company-file.ts';

/** A list to index, after the ZIP of the disclosure system, if there is one, has taken its place in the file. */
export interface CompaniesJob {
  readonly dataDir: string;
  readonly source: string;
  readonly fetched?: { readonly zip: Uint8Array<ArrayBuffer>; readonly atMs: number };
}

export interface CompaniesResult {
  /** Absent if the file has no list of the source. */
  readonly index?: CompanyIndex | undefined;
  /** Why the ZIP cannot be used. */
  readonly unreadable?: string;
  /** Why the list cannot be stored. */
  readonly notKept?: string;
}

function resultOf({ dataDir, source, fetched }: CompaniesJob): CompaniesResult {
  try {
    if (fetched) {
      const companies = readCorpCodes(fetched.zip);
      storeCompanies(dataDir, { source, fetchedAtMs: fetched.atMs }, companies);
    }
    return { index: indexCompanies(dataDir, source) };
  } catch (error) {
    return error instanceof UnreadableList
      ? { unreadable: error.message }
      : { notKept: String(error) };
  }
}

parentPort?.on('message', (job: CompaniesJob) => parentPort?.postMessage(resultOf(job)));

/** Bytes that are decoded and parsed at a time, so that the text is never in memory as a whole. */
const SLICE_BYTES = 64 * 1024;

/** The list that was received cannot be used. The message says why, without any of its text. */
export class UnreadableList extends Error {}

/** The companies of a `corpCode.xml` ZIP, in its order. Throws UnreadableList. */
export function readCorpCodes(zip: Uint8Array): Company[] {
  const companies = parseXml(unzipXml(zip));
  if (companies.length === 0) throw new UnreadableList('it names no companies');
  return companies;
}

/** The first XML file of a ZIP. Never takes more memory than the size that the ZIP states for it, which is bounded. */
function unzipXml(zip: Uint8Array): Uint8Array {
  if (zip.length > COMPANY_LIMITS.zipBytes) throw new UnreadableList('the ZIP is too large');
  let found = 0;
  const files = tryTo('it is not a complete ZIP', () =>
    unzipSync(zip, {
      filter: ({ name, originalSize }) => {
        if (!/\.xml$/i.test(name) || found++ > 0) return false;
        if (originalSize > COMPANY_LIMITS.xmlBytes) {
          throw new UnreadableList(`its XML is larger than ${COMPANY_LIMITS.xmlBytes} bytes`);
        }
        return true;
      },
    }),
  );
  const [xml] = Object.values(files);
  if (!xml) throw new UnreadableList('the ZIP has no XML file');
  return xml;
}

function parseXml(xml: Uint8Array): Company[] {
  const companies: Company[] = [];
  const parser = new SaxesParser();
  let fields: Record<string, string> = {};
  let text = '';
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name }) => {
    text = '';
    if (name === 'list') fields = {};
  });
  parser.on('text', (part) => {
    text += part;
  });
  parser.on('closetag', ({ name }) => {
    if (name !== 'list') fields[name] = text;
    else addCompany(companies, fields);
  });
  tryTo('its XML is not well-formed', () => {
    const decoder = new TextDecoder();
    for (let at = 0; at < xml.length; at += SLICE_BYTES) {
      parser.write(decoder.decode(xml.subarray(at, at + SLICE_BYTES), { stream: true }));
    }
    parser.write(decoder.decode()).close();
  });
  return companies;
}

/** Adds a company; an entry without a code or a name is left out. */
function addCompany(companies: Company[], fields: Readonly<Record<string, string>>): void {
  const code = clean(fields['corp_code']);
  const name = clean(fields['corp_name']);
  if (!/^\d{8}$/.test(code) || name === '') return;
  if (companies.length >= COMPANY_LIMITS.rows) {
    throw new UnreadableList(`it has more than ${COMPANY_LIMITS.rows} companies`);
  }
  companies.push({
    code,
    name,
    nameEn: clean(fields['corp_eng_name']),
    ticker: matching(/^[0-9A-Z]{6}$/, clean(fields['stock_code'])),
    changedOn: matching(/^\d{8}$/, clean(fields['modify_date'])),
  });
}

/** A field on one line, with single blanks. */
const clean = (text = ''): string =>
  text
    .slice(0, COMPANY_LIMITS.nameCharacters)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();

const matching = (pattern: RegExp, text: string): string => (pattern.test(text) ? text : '');

/** Throws UnreadableList for whatever `task` throws: the text of a foreign error may repeat what was received. */
function tryTo<T>(otherwise: string, task: () => T): T {
  try {
    return task();
  } catch (error) {
    throw error instanceof UnreadableList ? error : new UnreadableList(otherwise);
  }
}
