/** The bytes without a byte order mark before the text, which Windows programs write and RFC 8259 lets readers ignore. */
export const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
