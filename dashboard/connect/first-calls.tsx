import { Group, Loader, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, callAdmin } from '../api/call-admin.ts';
import { LinkAnchor } from '../shared/buttons.tsx';
import { CallOutcome, endingOf } from '../shared/outcome.tsx';
import { ErrorAlert, Hint, Panel } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';

type Call = AdminAnswer<'GET /tenants/:tenant/audit'>['records'][number];

const POLL_MS = 3_000;
const MAX_CALLS = 50;
const MAX_CLIENTS = 5;

/** The calls of the tenant since this was shown, other than the dashboard's. */
function useNewCalls(tenant: string) {
  // By the clock of the gateway: the last call before this.
  const before = useQuery({
    queryKey: ['connect', 'last-call', tenant],
    queryFn: async ({ signal }) => {
      const newest = { tenant, limit: 1 };
      const { records } = await callAdmin('GET /tenants/:tenant/audit', newest, { signal });
      return records[0] ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const last = before.data;
  const since = useQuery({
    queryKey: ['connect', 'new-calls', tenant, last?.auditId],
    queryFn: async ({ signal }) => {
      const newer = { tenant, limit: MAX_CALLS, from: last?.timestamp };
      const { records } = await callAdmin('GET /tenants/:tenant/audit', newer, { signal });
      return records.filter((call) => call.auditId !== last?.auditId && isOfClient(call));
    },
    enabled: last !== undefined,
    refetchInterval: POLL_MS,
    gcTime: 0,
  });
  return { calls: since.data ?? [], error: before.error ?? since.error };
}

const isOfClient = ({ dialect }: Call): boolean => dialect !== 'dashboard';

/** A mark for each client whose first call has arrived. */
export function FirstCalls({ tenant }: { readonly tenant: string }) {
  const { t } = useTranslation('connect');
  const { calls, error } = useNewCalls(tenant);
  // Records come newest first.
  const first = [...Map.groupBy(calls, ({ clientName }) => clientName).values()]
    .flatMap((ofClient) => ofClient.at(-1) ?? [])
    .slice(0, MAX_CLIENTS);
  return (
    <Panel title={t('firstCall.title')} description={t('firstCall.text')}>
      {error && <ErrorAlert error={error} />}
      <Stack gap="sm" role="status">
        {first.map((call) => (
          <Arrived key={call.auditId} call={call} />
        ))}
        {first.length === 0 && (
          <Group gap="sm" wrap="nowrap">
            <Loader size={20} aria-hidden />
            <Hint>{t('firstCall.waiting')}</Hint>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

function Arrived({ call }: { readonly call: Call }) {
  const { auditId, clientName, tool, timestamp } = call;
  const { t } = useTranslation('connect');
  return (
    <Group gap="sm" wrap="nowrap">
      <ThemeIcon size={24} radius="xl" variant="light">
        <IconCheck size={16} aria-hidden />
      </ThemeIcon>
      <Text size="sm" component="div">
        <Text inherit fw={600}>
          {t('firstCall.arrived', { client: clientName ?? t('firstCall.unnamed') })}
        </Text>
        <Group gap="0 0.75rem">
          <LinkAnchor
            to="/admin/audit"
            search={{ record: auditId, last: 'all' } as never}
            size="sm"
          >
            {tool}
          </LinkAnchor>
          <CallOutcome ending={endingOf(call)} />
          <RelativeTime at={timestamp} />
        </Group>
      </Text>
    </Group>
  );
}
