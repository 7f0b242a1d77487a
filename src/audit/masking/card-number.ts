/** Issuer ranges and lengths of payment cards in use (ISO/IEC 7812). */
const CARD = new RegExp(
  `^(?:${[
    '4\\d{15}', // Visa
    '5[1-5]\\d{14}', // Mastercard
    '2(?:22[1-9]|2[3-9]\\d|[3-6]\\d\\d|7[01]\\d|720)\\d{12}', // Mastercard
    '3[47]\\d{13}', // American Express
    '3(?:0[0-5]|[68]\\d)\\d{11}', // Diners Club
    '35(?:2[89]|[3-8]\\d)\\d{12}', // JCB
    '6(?:011|5\\d\\d|4[4-9]\\d)\\d{12}', // Discover
    '62\\d{14,17}', // UnionPay
    '9[0-9]\\d{14}', // Korean domestic cards
  ].join('|')})$`,
);

/** Whether the digits are in a known issuer range and have its length. */
export const hasCardIssuer = (digits: string): boolean => CARD.test(digits);

/** Whether the digits are a payment card number: a known issuer range and a correct Luhn check digit. */
export const isCardNumber = (digits: string): boolean => hasCardIssuer(digits) && isLuhn(digits);

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let fromEnd = 0; fromEnd < digits.length; fromEnd++) {
    const digit = Number(digits.charAt(digits.length - 1 - fromEnd));
    const doubled = fromEnd % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
