/** A company that files with the disclosure system (DART). */
export interface Company {
  /** Eight digits. */
  readonly code: string;
  readonly name: string;
  /** Empty if it is not known, as are the two below. */
  readonly nameEn: string;
  /** Six digits or capital letters, of a listed company. */
  readonly ticker: string;
  /** The day on which the entry last changed, YYYYMMDD. */
  readonly changedOn: string;
}

/** The kind of codes under which companies are found. */
export const COMPANY_KIND = 'company';

/** Bounds of the list of companies. It has about 110,000 of them, in 20 MB of XML or a ZIP of 3.5 MB. */
export const COMPANY_LIMITS = {
  zipBytes: 16 * 1024 * 1024,
  xmlBytes: 64 * 1024 * 1024,
  rows: 300_000,
  nameCharacters: 200,
  /** Companies of one name that are considered. */
  sameName: 200,
  /** The list is fetched again after a day, and after a failure not for five minutes. */
  refreshMs: 86_400_000,
  retryMs: 300_000,
  fetchMs: 60_000,
  readMs: 60_000,
} as const;

/** The list that was received cannot be used. The message says why, without any of its text. */
export class UnreadableList extends Error {}
