/**
 * Members of a JSON body besides the description. In the description itself, line breaks and quotes take two bytes in JSON,
 * and letters outside ASCII up to twice their bytes if the client escapes them.
 */
const MEMBERS_BYTES = 64 * 1024;

/** The largest JSON body for a description of this size. */
export const maxJsonBytes = (maxDocumentBytes: number): number =>
  2 * maxDocumentBytes + MEMBERS_BYTES;
