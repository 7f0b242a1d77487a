/** Selects some of the tools that the key may use. */
export interface NarrowingOptions {
  readonly tools?: string;
  readonly category?: string;
}

/** The address for MCP clients. Commas and asterisks stay readable: a query may have them (RFC 3986 section 3.4). */
export function mcpAddress(url: string, { tools, category }: NarrowingOptions): string {
  const query = Object.entries({ category, tools })
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value ?? '').replaceAll('%2C', ',')}`);
  return `${url}/mcp${query.length > 0 ? `?${query.join('&')}` : ''}`;
}
