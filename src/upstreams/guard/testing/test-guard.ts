import { createGuard, type Guard, type GuardOptions } from '../guard.ts';

/** The one address that counts as public in these tests: local servers listen on it. All others are guarded as usual. */
const PUBLIC_ADDRESS = '127.0.0.1';

/** Addresses by host name. */
export type Zone = Readonly<Record<string, readonly string[]>>;

/** A guard that is on, with names that the test chooses. `*.example.com` resolves to the local servers. */
export const createTestGuard = (zone: Zone = {}, options: Partial<GuardOptions> = {}): Guard =>
  createGuard({
    allowPrivate: false,
    ownHosts: new Set(['gateway.example.com']),
    ownPorts: new Set(),
    isPublic: (address) => address === PUBLIC_ADDRESS,
    resolve: (name) => {
      const addresses = zone[name] ?? (name.endsWith('.example.com') ? [PUBLIC_ADDRESS] : []);
      return Promise.resolve(addresses);
    },
    ...options,
  });

/** The origin of a local server by another host name. */
export const under = (host: string, { origin }: { readonly origin: string }): string =>
  `http://${host}:${new URL(origin).port}`;
