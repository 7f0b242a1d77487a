import { Command } from 'commander';
import { createTrailOperations } from '../../access/trail/operations.ts';
import { addList } from '../operations/add-operation.ts';
import type { Feature } from '../operations/operation-runner.ts';

const TRAIL: Feature<ReturnType<typeof createTrailOperations>> = {
  declared: createTrailOperations({} as Parameters<typeof createTrailOperations>[0]),
  open: ({ database: { db } }) => createTrailOperations({ db }),
};

export function trailCommand(): Command {
  const trail = new Command('trail').description(
    'Show the administrative trail: who created and changed tenants and keys, and what retention deleted.',
  );
  addList(trail, TRAIL, {
    operation: 'GET /tenants/:tenant/trail',
    allTenantsOperation: 'GET /trail',
    example: '--tenant acme --limit 20',
    limit: 100,
    rows: (output) => output.entries,
    columns: {
      TIME: ({ timestamp }) => timestamp,
      ACTOR: ({ actor }) => actor,
      ACTION: ({ action }) => action,
      TENANT: ({ tenantSlug, tenantId }) => tenantSlug ?? tenantId ?? 'all',
      SUBJECT: ({ subjectId }) => subjectId,
      DETAILS: ({ details }) => JSON.stringify(details),
    },
  });
  return trail;
}
