/** What a property's name says about its value. */

const MAYBE_SECRET = /pass|pwd|secret|token|auth|key|cookie|credential|jwt|session/i;

/** Names are compared without case and separators. */
const SECRET = new RegExp(
  [
    'password|passwd|passphrase|^pwd$|secret(?!ary|ariat)|authorization|^auth$|credential',
    '(?:service|api|access|auth|private|secret|encryption|signing|certification)key$',
    // Tokens that only mark a place in a list are no secrets.
    '(?<!page|next|continuation|cursor|sync)token$|^jwt$|cookie$|sessionid$',
  ].join('|'),
);

/** Whether the whole value of a property of this name is a secret. */
export function isSecretName(name: string): boolean {
  return MAYBE_SECRET.test(name) && SECRET.test(name.replace(/[-_.\s]/g, '').toLowerCase());
}

const COMPANY_NUMBER = /^(?:crno|corp_?no|corp_?reg(?:ist)?_?no|jurir_?no)$/i;

/** Whether a property of this name holds a company's registration number. */
export const isCompanyNumberName = (name: string): boolean => COMPANY_NUMBER.test(name);
