import { type ArgumentFault, GatewayError } from './error.ts';

/** Faults that one answer lists. */
const MAX_FAULTS = 20;
/** Characters of one path; the name of an argument can be as long as the request. */
const MAX_PATH_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 1000;
/** Characters of the sentence that tells of all faults. */
const MAX_TEXT_LENGTH = 2000;

/** One `invalid_arguments` for all faults of a request, whatever their number and length; `subject` comes first. */
export function invalidArguments(subject: string, faults: readonly ArgumentFault[]): GatewayError {
  const errors = faults.slice(0, MAX_FAULTS).map(({ path, message }) => ({
    path: cut(path, MAX_PATH_LENGTH),
    message: cut(message, MAX_MESSAGE_LENGTH),
  }));
  return new GatewayError('invalid_arguments', `${subject}: ${tell(errors, faults.length)}`, {
    details: { errors },
  });
}

/** As many faults as fit, one at least. */
function tell(errors: readonly ArgumentFault[], total: number): string {
  let text = '';
  let told = 0;
  for (const { path, message } of errors) {
    const sentence = path ? `${path} ${message}` : message;
    if (told > 0 && text.length + sentence.length > MAX_TEXT_LENGTH) break;
    text += told++ > 0 ? ` ${sentence}` : sentence;
  }
  return told < total ? `${text} ... and at least ${total - told} more.` : text;
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}...` : text;
