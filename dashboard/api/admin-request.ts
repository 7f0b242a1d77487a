const BASE = '/admin/api';

/** An HTTP request of a route: its method, its address and its JSON body. */
export interface AdminRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
}

/** Puts the input of a route where it belongs: the path, the query or the body. Undefined members are left out. */
export function formatRequest(key: string, input: Readonly<Record<string, unknown>>): AdminRequest {
  const [method = 'GET', template = ''] = key.split(' ');
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const query = hasBody ? '' : formatQuery(rest);
  return {
    method,
    url: `${BASE}${path}${query && `?${query}`}`,
    body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : null,
  };
}

function formatQuery(members: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of members) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return query.toString();
}
