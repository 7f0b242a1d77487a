import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { adminUrl } from '../api/call-admin.ts';
import { apisKey } from './queries.ts';

/** Reads again what the page shows of a tenant's APIs as soon as one of its jobs proceeds. */
export function useJobEvents(tenant: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const source = new EventSource(
      adminUrl('GET /tenants/:tenant/registration-events', { tenant }),
    );
    source.addEventListener('byoapi', () => {
      void queries.invalidateQueries({ queryKey: apisKey(tenant) });
    });
    // The stream ends when the person may no longer read it; a browser would open it again and again.
    source.addEventListener('end', () => source.close());
    return () => source.close();
  }, [queries, tenant]);
}
