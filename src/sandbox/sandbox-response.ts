/** A complete HTTP response of a simulated upstream. */
export interface SandboxResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The same for a file that is downloaded, which need not be text. */
export interface SandboxFile extends Omit<SandboxResponse, 'body'> {
  readonly body: string | Uint8Array;
}

export const jsonResponse = (value: unknown, status = 200): SandboxResponse => ({
  status,
  contentType: 'application/json;charset=UTF-8',
  body: JSON.stringify(value),
});

export const xmlResponse = (body: string, status = 200): SandboxResponse => ({
  status,
  contentType: 'application/xml;charset=UTF-8',
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});

export const textResponse = (body: string, status = 200): SandboxResponse => ({
  status,
  contentType: 'text/plain;charset=UTF-8',
  body,
});

/** An HTML page, as proxies and load balancers in front of an API send it, often with status 200. */
export const htmlResponse = (title: string, status = 200): SandboxResponse => ({
  status,
  contentType: 'text/html;charset=UTF-8',
  body: `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><br></body></html>\n`,
});

export const isXml = ({ contentType }: SandboxResponse): boolean => contentType.includes('xml');

/** The XML without every `<item>` after the first `keep`. */
export const keepItems = (xml: string, keep: number): string => {
  let seen = 0;
  return xml.replace(/\s*<item>[\s\S]*?<\/item>/g, (item) => (seen++ < keep ? item : ''));
};
