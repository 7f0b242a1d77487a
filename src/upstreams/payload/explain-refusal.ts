import type { Cause } from '../../platform/kernel/cause.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { PayloadShape, SuccessRule } from '../../tools/model.ts';
import type { JsonDocument } from './json-document.ts';
import type { NormalisedPayload, PayloadInput } from './normalise-payload.ts';
import type { PayloadDomain } from './payload-domain.ts';
import { cleanMessage } from './provider-message.ts';
import { firstText } from './scalar.ts';
import { NO_RULE, type Verdict } from './verdict.ts';

type Received = Pick<PayloadInput, 'status' | 'isPublicData'>;
type Explanation = Pick<NormalisedPayload, 'cause' | 'code' | 'message'>;

/** Explains the responses of one shape that have failed or hold no data, as far as they say why. */
export interface Explainer {
  /** A payload that was judged. */
  ofDocument(document: JsonDocument, verdict: Verdict, received: Received): Explanation;
  /** A plain text in place of a payload, if there is one. */
  ofText(text: string | undefined, received: Received): Explanation;
}

/** Prepares the explanations for one payload shape: pointers are parsed here, once. */
export function createExplainer({ success }: PayloadShape, domain: PayloadDomain): Explainer {
  const rule = success ?? NO_RULE;
  const causeOf = createCauseOfRefusal(rule, domain);
  const ownMessages = rule.message === null ? [] : [parsePointer(rule.message)];
  const publicMessages = [
    ...domain.messages.before.map(parsePointer),
    ...ownMessages,
    ...domain.messages.after.map(parsePointer),
  ];
  return {
    ofDocument(document, { ok, empty, code }, received) {
      const cause = causeOf({ ...received, code }) ?? (ok && empty ? 'no_data' : undefined);
      const paths = received.isPublicData ? publicMessages : ownMessages;
      return explanation(cause, code, firstText(document, paths));
    },
    ofText: (text, received) => explanation(causeOf({ ...received, text }), undefined, text),
  };
}

function explanation(
  cause: Cause | undefined,
  code: string | undefined,
  text: string | undefined,
): Explanation {
  const message = cleanMessage(text);
  return {
    ...(cause === undefined ? {} : { cause }),
    ...(code === undefined ? {} : { code }),
    ...(message === undefined ? {} : { message }),
  };
}

interface Refusal extends Received {
  readonly code?: string | undefined;
  readonly text?: string | undefined;
}

/** Finds a cause: by what the preset knows of the code, then by the domain, then by the status. */
function createCauseOfRefusal({ causes }: SuccessRule, domain: PayloadDomain) {
  const known = new Map(Object.entries(causes));
  return ({ status, isPublicData, code, text }: Refusal): Cause | undefined => {
    const word = code ?? text;
    if (word !== undefined) {
      const meant = known.get(word) ?? (isPublicData ? domain.causeOf(word) : undefined);
      if (meant) return meant;
    }
    if (code !== undefined) return causeOfStatus(status);
    const bare = known.get(`HTTP ${status}`);
    return (
      bare ?? (isPublicData ? domain.causeOfStatus(status) : undefined) ?? causeOfStatus(status)
    );
  };
}

/** The cause of a failure of which only the status is known; undefined below 400. */
function causeOfStatus(status: number): Cause | undefined {
  if (status === 429) return 'rate';
  if (status === 401 || status === 403) return 'operator_key';
  if (status >= 500) return 'upstream';
  return status >= 400 ? 'arguments' : undefined;
}
