import type { Dependencies } from '../platform/kernel/dependency-checks.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { Storage } from './storage.ts';

/** What the gateway cannot work without. */
export const dependenciesOf = ({ database, redis, audit }: Storage): Dependencies => ({
  database: {
    backend: database.backend,
    ping: async () => {
      await database.ping();
      if (audit.ledger.stats().degraded !== null) throw new GatewayError('unavailable');
    },
  },
  redis: redis
    ? { backend: 'redis', ping: redis.ping }
    : { backend: 'memory', ping: () => Promise.resolve() },
});
