/** Header fields by lower-case name; an array for a field that was sent more than once. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The first value of a header field; an empty string if it was not sent. */
export function headerText(headers: ResponseHeaders, name: string): string {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}
