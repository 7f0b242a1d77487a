import { oneLine } from '../../../upstreams/payload/json-text.ts';
import { type Encoded, piecesOf } from '../../json-rpc/splice.ts';

/** A JSON message as one `message` event, in pieces. The payload is copied only if it has line breaks. */
export const frameMessage = (message: Encoded): (string | Buffer)[] => [
  'event: message\ndata: ',
  ...piecesOf(message).map(oneLine),
  '\n\n',
];
