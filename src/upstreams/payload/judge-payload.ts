import type { Cause } from '../../platform/kernel/cause.ts';
import { type JsonDocument, type Place, ROOT } from '../../platform/kernel/json-document.ts';
import { type Path, parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape, SuccessRule } from '../../tools/model.ts';
import type { PayloadDomain } from './payload-domain.ts';
import type { NormalisedPayload, PayloadInput } from './upstream-response.ts';

/** Whether a payload is a success and holds data; if not, why, as far as it says. */
export interface Judgement extends Pick<NormalisedPayload, 'ok' | 'cause' | 'message'> {
  /** "No data": a success without rows. */
  readonly empty: boolean;
  /** Canonical result code, if the payload has one. */
  readonly code?: string;
}

/** What a failure says about itself. */
export type Explanation = Pick<Judgement, 'cause' | 'message' | 'code'>;

type Received = Pick<PayloadInput, 'status' | 'isPublicData'>;

/** `0`, `000` and `0000` are code `00`; any other code stays as sent (docs/contract.md#public-data-middleware). */
export const canonicalCode = (code: string): string => (/^0{1,4}$/.test(code) ? '00' : code);

/** The rule of a document without `x-success`. */
const NO_RULE: SuccessRule = {
  code: [],
  values: [],
  empty: [],
  present: null,
  failure: null,
  message: null,
  causes: {},
};

export type Judge = ReturnType<typeof createJudge>;

/**
 * Prepares the judge of the payloads of one shape: pointers are parsed here, once. Public data has result codes and messages
 * that presets need not name.
 */
export function createJudge(shape: PayloadShape, domain: PayloadDomain) {
  const rule = shape.success ?? NO_RULE;
  const succeeds = createSuccessCheck(shape, rule, domain);
  const causeOf = createCauseOf(rule, domain);
  const ownMessages = pathsOf(rule.message);
  const publicMessages = around(domain.messages, ownMessages);
  return {
    ofDocument(document: JsonDocument, received: Received): Judgement {
      const { isPublicData, status } = received;
      const { isMeant = false, ...success } = succeeds(document, isPublicData);
      if (success.ok && !success.empty && status < 400) return success;
      const message = firstText(document, isPublicData ? publicMessages : ownMessages);
      const cause = causeOf({ ...received, code: success.code, isMeant, message });
      return {
        ...success,
        ...explanation(cause ?? (success.ok && success.empty ? 'no_data' : undefined), message),
      };
    },
    /** What a failure with a plain text in place of a payload, or without any, says about itself. */
    ofText(text: string | undefined, received: Received): Explanation {
      const code = received.isPublicData && text ? domain.codeOfText(text) : undefined;
      const explained = explanation(causeOf({ ...received, text, message: text }), text);
      return code === undefined || explained.cause === undefined
        ? explained
        : { ...explained, code };
    },
  };
}

const pathsOf = (pointer: string | null): Path[] =>
  pointer === null ? [] : [parsePointer(pointer)];

/** The paths of a preset between the paths of its domain. */
const around = ({ before, after }: PayloadDomain['codes'], own: readonly Path[]): Path[] => [
  ...before.map(parsePointer),
  ...own,
  ...after.map(parsePointer),
];

interface Success extends Pick<Judgement, 'ok' | 'empty' | 'code'> {
  /** Whether the code is what the text means, in place of the code that was sent. */
  readonly isMeant?: true;
}

function createSuccessCheck(shape: PayloadShape, rule: SuccessRule, domain: PayloadDomain) {
  const [present] = pathsOf(rule.present);
  const [failure] = pathsOf(rule.failure);
  const [items] = pathsOf(shape.items);
  const successes = new Set(['00', ...rule.values.map(canonicalCode)]);
  const empties = new Set([
    ...rule.empty,
    ...Object.keys(rule.causes).filter((code) => rule.causes[code] === 'no_data'),
  ]);
  const ownCodes = rule.code.map(parsePointer);
  const publicCodes = around(domain.codes, ownCodes);
  const refusals = domain.messages.before.map(parsePointer);
  const messages = around(domain.messages, pathsOf(rule.message));

  /** Without the promised code, a response is successful only if it has rows. `''` is an empty list in XML. */
  const mayLackCode = (document: JsonDocument): boolean => {
    if (rule.code.length === 0 || present) return true;
    if (!items) return false;
    if (items.length === 0) return document.kind(ROOT) === 'array';
    return placeAt(document, items) !== undefined || scalarAt(document, items.slice(0, -1)) === '';
  };

  const fits = (document: JsonDocument): boolean =>
    !(failure && reportsFailure(document, failure)) &&
    !(present && placeAt(document, present) === undefined);

  const ofCode = (document: JsonDocument, code: string, isPublicData: boolean): Success => {
    const empty =
      empties.has(code) ||
      (isPublicData && domain.isNoData(code) && !Object.hasOwn(rule.causes, code));
    return { ok: empty || (successes.has(code) && fits(document)), empty, code };
  };

  /** A failure whose text may say more than its code. */
  const ofMeantCode = (document: JsonDocument, failure: Success): Success => {
    const { code = '' } = failure;
    const meant = domain.meantCode(code, firstText(document, messages) ?? '');
    return meant === code ? failure : { ...failure, code: meant, isMeant: true };
  };

  /** A refusal of the domain that has lost its code: its text may name it. */
  const ofRefusal = (document: JsonDocument): Success | undefined => {
    const text = firstText(document, refusals);
    const code = domain.codeOfText(text ?? firstText(document, messages) ?? '');
    if (code !== undefined) return ofCode(document, code, true);
    return text === undefined ? undefined : { ok: false, empty: false };
  };

  return (document: JsonDocument, isPublicData: boolean): Success => {
    const code = firstText(document, isPublicData ? publicCodes : ownCodes);
    if (code !== undefined) {
      const success = ofCode(document, canonicalCode(code), isPublicData);
      return success.ok || !isPublicData ? success : ofMeantCode(document, success);
    }
    const refused = isPublicData ? ofRefusal(document) : undefined;
    return refused ?? { ok: mayLackCode(document) && fits(document), empty: false };
  };
}

/** `{"error": null}`, `{"error": false}` and `<error/>` report no failure. */
function reportsFailure(document: JsonDocument, path: Path): boolean {
  const place = placeAt(document, path);
  if (place === undefined) return false;
  return document.isContainer(place) || !SILENT.includes(document.value(place));
}

const SILENT: readonly unknown[] = [null, false, ''];

interface Refusal extends Received {
  readonly code?: string | undefined;
  /** Whether the code is one of the domain, which the text means. */
  readonly isMeant?: boolean;
  readonly text?: string | undefined;
  /** What the provider says about it. */
  readonly message?: string | undefined;
}

/** Finds a cause: by what the preset knows of the code, then by the domain, then by the status. */
function createCauseOf({ causes }: SuccessRule, domain: PayloadDomain) {
  const known = new Map(Object.entries(causes));
  return ({ status, isPublicData, code, text, message, isMeant }: Refusal): Cause | undefined => {
    const word = code ?? text ?? '';
    const ofDomainWord = isPublicData && word ? domain.causeOf(word) : undefined;
    // A code that the text means is one of the domain, whatever the same code is elsewhere in the document.
    const ofWord = (isMeant && ofDomainWord) || (known.get(word) ?? ofDomainWord);
    if (ofWord || code !== undefined) return ofWord ?? causeOfStatus(status, message);
    const ofDomain = isPublicData ? domain.causeOfStatus(status) : undefined;
    return known.get(`HTTP ${status}`) ?? ofDomain ?? causeOfStatus(status, message);
  };
}

/** A text about the requests of a day, and one about the requests of a shorter time. */
const OF_DAY = /\b(?:daily|per day|a day|today|tomorrow|24 hours)\b|일일|하루|내일/i;
const OF_MOMENT =
  /\b(?:per |a |one |next )?(?:second|minute|minutely|hour|hourly)\b|분당|초당|시간당/i;

/** The cause of a failure of which only the status, and perhaps a text, is known; undefined below 400. */
export function causeOfStatus(status: number, message = ''): Cause | undefined {
  if (status === 429) {
    const said = message.slice(0, READ_UNITS);
    return OF_DAY.test(said) && !OF_MOMENT.test(said) ? 'quota' : 'rate';
  }
  if (status === 401 || status === 403) return 'operator_key';
  if (status >= 500) return 'upstream';
  return status >= 400 ? 'arguments' : undefined;
}

function explanation(cause: Cause | undefined, text = ''): Pick<Judgement, 'cause' | 'message'> {
  const message = cleanMessage(text);
  return { ...(cause && { cause }), ...(message && { message }) };
}

/** Longest message of a provider, in characters. */
export const MAX_MESSAGE_CHARACTERS = 300;

/** Read of a longer text, in UTF-16 units: enough for the message, whatever is cleaned away. */
const READ_UNITS = 8 * MAX_MESSAGE_CHARACTERS;

/**
 * What a provider says as one line: without control, bidirectional and zero-width characters, and cut to 300
 * characters. Undefined if nothing is left. The caller has redacted the text.
 */
export function cleanMessage(text = ''): string | undefined {
  const line = text
    .slice(0, READ_UNITS)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return line === '' ? undefined : [...line].slice(0, MAX_MESSAGE_CHARACTERS).join('');
}

/**
 * Finds the target of a path. Index 0 of an object is the object itself: a single row that is not in its array yet, while
 * paths are written for the normalised payload.
 */
function placeAt(document: JsonDocument, path: Path): Place | undefined {
  let place: Place = ROOT;
  for (const name of path) {
    const child = document.child(place, name);
    const isOnlyRow = child === undefined && name === '0' && document.kind(place) === 'object';
    if (child === undefined && !isOnlyRow) return undefined;
    place = child ?? place;
  }
  return place;
}

const scalarAt = (document: JsonDocument, path: Path): unknown =>
  document.scalar(placeAt(document, path));

/** The text of the first of these paths that leads to one that is not blank; numbers and booleans count as text. */
function firstText(document: JsonDocument, paths: readonly Path[]): string | undefined {
  for (const path of paths) {
    const text = String(scalarAt(document, path) ?? '').trim();
    if (text !== '') return text;
  }
  return undefined;
}
