import type { PresetSample } from '../src/public-data/preset-samples.ts';

export type SandboxResponse = PresetSample;

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

/** The XML without every element of a name after the first `keep`. */
export function keepItems(xml: string, keep: number, name = 'item'): string {
  let seen = 0;
  const element = new RegExp(`\\s*<${name}>[\\s\\S]*?</${name}>`, 'g');
  return xml.replace(element, (item) => (seen++ < keep ? item : ''));
}
