import { type ArgumentIssue, GatewayError } from './error.ts';

/** Issues that one error lists. */
const MAX_ISSUES = 20;
/** Characters of one path: the name of an argument can be as long as the request. */
const MAX_PATH_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 1000;
/** Characters of the message that lists the issues. */
const MAX_TEXT_LENGTH = 2000;

/** One `invalid_arguments` for all issues of a request, whatever their number and length. Its message starts with `subject`. */
export function invalidArguments(subject: string, issues: readonly ArgumentIssue[]): GatewayError {
  const errors = issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({
    path: cut(path, MAX_PATH_LENGTH),
    message: cut(message, MAX_MESSAGE_LENGTH),
  }));
  return new GatewayError('invalid_arguments', `${subject}: ${summarise(errors, issues.length)}`, {
    details: { errors },
  });
}

/** As many issues as fit, at least one. */
function summarise(errors: readonly ArgumentIssue[], total: number): string {
  let text = '';
  let listed = 0;
  for (const { path, message } of errors) {
    const sentence = path ? `${path} ${message}` : message;
    if (listed > 0 && text.length + sentence.length > MAX_TEXT_LENGTH) break;
    text += listed++ > 0 ? ` ${sentence}` : sentence;
  }
  return listed < total ? `${text} ... and at least ${total - listed} more.` : text;
}

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}...` : text;
