/** A whole HTTP answer of an imitated upstream. */
export interface SandboxAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export const jsonAnswer = (value: unknown, status = 200): SandboxAnswer => ({
  status,
  contentType: 'application/json;charset=UTF-8',
  body: JSON.stringify(value),
});

export const xmlAnswer = (body: string, status = 200): SandboxAnswer => ({
  status,
  contentType: 'application/xml;charset=UTF-8',
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});

export const textAnswer = (body: string, status = 200): SandboxAnswer => ({
  status,
  contentType: 'text/plain;charset=UTF-8',
  body,
});

/** A page for people, as gateways and load balancers in front of an API send it, often with status 200. */
export const htmlAnswer = (title: string, status = 200): SandboxAnswer => ({
  status,
  contentType: 'text/html;charset=UTF-8',
  body: `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><br></body></html>\n`,
});

export const isXml = (answer: SandboxAnswer): boolean => answer.contentType.includes('xml');

/** The XML with every `<item>` but the first `keep` taken out. */
export const keepItems = (xml: string, keep: number): string => {
  let seen = 0;
  return xml.replace(/\s*<item>[\s\S]*?<\/item>/g, (item) => (seen++ < keep ? item : ''));
};
