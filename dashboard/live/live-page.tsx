import { Alert, Badge, Button, Select, SimpleGrid, Stack, TextInput } from '@mantine/core';
import {
  IconActivityHeartbeat,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LiveCall } from '../../src/dialects/admin/live-calls.ts';
import { keyChoices, useOutcomeChoices } from '../audit/audit-filters.tsx';
import { type NamesData, useNames } from '../audit/audit-queries.ts';
import { useCallColumns } from '../audit/call-columns.tsx';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { EmptyState, PageHeader } from '../shared/page.tsx';
import { ExactTime } from '../shared/relative-time.tsx';
import { type LiveFilter, type LiveView, matches, useLiveFeed } from './live-feed.ts';

const EVERYTHING: LiveFilter = { tool: '', outcome: null, key: null };

/** The calls of the tenant as they end. */
export function LivePage() {
  const { t } = useTranslation('live');
  const { slug: tenant } = useTenant();
  const names = useNames(tenant);
  const view = useLiveFeed(tenant);
  const [filter, setFilter] = useState(EVERYTHING);
  const shown = view.feed.calls.filter(matches(filter));
  return (
    <Stack gap="md">
      <PageHeader
        title={t('title')}
        description={t('description')}
        aside={<LiveStatus view={view} />}
        actions={<Actions view={view} />}
      />
      <LiveFilters filter={filter} names={names} onChange={setFilter} />
      <Notices view={view} />
      <LiveTable
        calls={view.isLoading ? undefined : shown}
        names={names}
        isFiltered={filter !== EVERYTHING}
      />
    </Stack>
  );
}

function Actions({ view: { isPaused, setPaused, clear } }: { readonly view: LiveView }) {
  const { t } = useTranslation('live');
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  return (
    <>
      <Button
        size="xs"
        variant={isPaused ? 'filled' : 'default'}
        onClick={() => setPaused(!isPaused)}
        leftSection={icon(Icon)}
      >
        {t(isPaused ? 'resume' : 'pause')}
      </Button>
      <Button size="xs" variant="default" onClick={clear} leftSection={icon(IconTrash)}>
        {t('clear')}
      </Button>
    </>
  );
}

/** What is not on the screen. */
function Notices({ view }: { readonly view: LiveView }) {
  const { t } = useTranslation('live');
  const { whilePaused, dropped } = view.feed;
  return (
    <>
      {view.isPaused && (
        <Alert color="blue" role="status">
          {t('paused', { count: whilePaused })}
        </Alert>
      )}
      {dropped > 0 && (
        <Alert color="yellow" role="status">
          {t('dropped', { count: dropped })}
        </Alert>
      )}
      {view.state === 'ended' && (
        <Alert color="red" role="alert" title={t('ended')}>
          <Button size="xs" variant="default" onClick={view.reconnect}>
            {t('reconnect')}
          </Button>
        </Alert>
      )}
    </>
  );
}

const COLOURS = { open: 'celadon', connecting: 'yellow', ended: 'red' } as const;

/** Whether the screen shows the calls of this moment. */
function LiveStatus({ view: { state, isPaused } }: { readonly view: LiveView }) {
  const { t } = useTranslation('live');
  const isHeld = isPaused && state === 'open';
  return (
    <Badge variant="light" color={isHeld ? 'gray' : COLOURS[state]} role="status">
      {t(isHeld ? 'state.paused' : `state.${state}`)}
    </Badge>
  );
}

interface LiveFiltersProps {
  readonly filter: LiveFilter;
  readonly names: NamesData | undefined;
  readonly onChange: (filter: LiveFilter) => void;
}

const MAX_OPTIONS = 100;

/** Which of the calls are shown. */
function LiveFilters({ filter, names, onChange }: LiveFiltersProps) {
  const { t } = useTranslation('live');
  const { t: audit } = useTranslation('audit');
  const outcomes = useOutcomeChoices();
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
      <TextInput
        label={audit('filter.tool')}
        placeholder={t('toolContains')}
        maxLength={200}
        value={filter.tool}
        onChange={({ currentTarget: { value } }) => onChange({ ...filter, tool: value })}
      />
      <Select
        label={audit('filter.status')}
        placeholder={audit('filter.any')}
        clearable
        value={filter.outcome}
        data={outcomes}
        onChange={(outcome) => onChange({ ...filter, outcome })}
      />
      <Select
        label={audit('filter.key')}
        placeholder={audit('filter.any')}
        clearable
        searchable
        limit={MAX_OPTIONS}
        value={filter.key}
        data={keyChoices(names, filter.key ?? undefined)}
        onChange={(key) => onChange({ ...filter, key })}
      />
    </SimpleGrid>
  );
}

interface LiveTableProps {
  /** Undefined while the recent ones are loaded. */
  readonly calls: readonly LiveCall[] | undefined;
  readonly names: NamesData | undefined;
  readonly isFiltered: boolean;
}

function LiveTable({ calls, names, isFiltered }: LiveTableProps) {
  const { t } = useTranslation('live');
  const navigate = useNavigate();
  const columns = useCallColumns<LiveCall>(names, {
    timeOf: ({ at }) => <ExactTime at={at} />,
    endingOf: ({ outcome, error, cause, upstreamStatus }) => ({
      outcome,
      code: error,
      cause,
      status: upstreamStatus,
    }),
  });
  return (
    <DataTable<LiveCall>
      label={t('table')}
      columns={columns}
      rows={calls}
      rowKey={({ auditId }) => auditId}
      onOpen={({ auditId }) =>
        void navigate({ to: '/admin/audit', search: (before) => ({ ...before, record: auditId }) })
      }
      empty={
        <EmptyState
          icon={IconActivityHeartbeat}
          title={t(isFiltered ? 'nothingMatches' : 'nothing')}
          text={t(isFiltered ? 'nothingMatchesText' : 'nothingText')}
        />
      }
    />
  );
}
