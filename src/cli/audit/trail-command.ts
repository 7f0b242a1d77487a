import { Command } from 'commander';
import { createTrailOperations } from '../../access/trail/operations.ts';
import { addOperation, type OperationRun, OWN_ELSEWHERE } from '../operations/add-operation.ts';
import type { Feature, OutputOf } from '../operations/operation-runner.ts';
import { addLimitOptions, printList } from '../shared/print-list.ts';
import { readPages } from '../shared/read-pages.ts';

type TrailTable = ReturnType<typeof createTrailOperations>;

const TRAIL: Feature<TrailTable> = {
  declared: createTrailOperations({} as Parameters<typeof createTrailOperations>[0]),
  open: ({ database: { db } }) => createTrailOperations({ db }),
};

const OF_TENANT = 'GET /tenants/:tenant/trail';

export function trailCommand(): Command {
  const trail = new Command('trail').description(
    'Show the administrative trail: who created and changed tenants and keys, and what retention deleted.',
  );
  addOperation(trail, TRAIL, {
    place: OF_TENANT,
    ofAll: 'GET /trail',
    description: 'List entries, newest first.',
    example: '--tenant acme --limit 20',
    tenant: `only entries that concern this tenant; ${OWN_ELSEWHERE}`,
    only: [],
    addOptions: (command) => addLimitOptions(command, 'entries'),
    run: listEntries,
  });
  return trail;
}

function listEntries({
  place,
  options,
  send,
}: OperationRun<TrailTable, typeof OF_TENANT>): Promise<void> {
  const concerning = place === OF_TENANT ? { gateway: true } : {};
  const entries = readPages(
    async (page) => {
      const { entries: found, nextCursor } = await send({ ...page, ...concerning });
      return { entries: found.map(viewEntry), nextCursor };
    },
    'entries',
    options['limit'],
  );
  return printList(entries, options, HEADING, toRow);
}

type Entry = OutputOf<TrailTable, typeof OF_TENANT>['entries'][number];

/** An entry as `--json` prints it (docs/contract.md#command-line). */
const viewEntry = (entry: Entry) => {
  const { timestamp, id, tenantId, tenantSlug, actor, action, subjectId, details } = entry;
  return {
    timestamp,
    tenant: tenantSlug ?? tenantId,
    id,
    tenantId,
    actor,
    action,
    subjectId,
    details,
  };
};

const HEADING = ['TIME', 'ACTOR', 'ACTION', 'TENANT', 'SUBJECT', 'DETAILS'];

const toRow = ({
  timestamp,
  actor,
  action,
  tenant,
  subjectId,
  details,
}: ReturnType<typeof viewEntry>): string[] => [
  ...[timestamp, actor, action, tenant ?? 'all', subjectId, JSON.stringify(details)],
];
