import { Badge, Button, Code, NativeSelect, Stack } from '@mantine/core';
import { IconKeyOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isStatus } from '../api/admin-error.ts';
import { Charts } from '../overview/charts.tsx';
import { callsIn, RANGES, type Range } from '../overview/overview-search.ts';
import { RefusalReasons } from '../overview/refusals-card.tsx';
import { Tiles } from '../overview/tiles.tsx';
import { useTenant } from '../session/session.ts';
import { useActionName } from '../shared/action-name.ts';
import { LinkAnchor } from '../shared/buttons.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { Facts } from '../shared/facts.tsx';
import { FiguresTable } from '../shared/figures-table.tsx';
import { CallOutcome, endingOf } from '../shared/outcome.tsx';
import { EmptyState, ErrorAlert, Hint, PageHeader, Panel } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { Waiting } from '../shared/waiting.tsx';
import { KeyExpiry, KeyLastUsed, KeyLimits, KeyOwner, KeyToday, KeyTools } from './key-cells.tsx';
import type { Open } from './key-dialogs.tsx';
import {
  type ApiKey,
  keyFailuresQuery,
  keyHistoryQuery,
  keyQuery,
  keyRefusalsQuery,
  keyToolsQuery,
  keyUsageQuery,
  startOf,
} from './key-queries.ts';
import { readKeyPageSearch, USUAL_RANGE } from './key-search.ts';
import { OpenKeyDialog } from './open-key-dialog.tsx';

/** One API key: what it may do, how it is used, what failed, and who changed it. */
export function KeyPage() {
  const { t } = useTranslation('keys');
  const { key: id = '' } = useParams({ strict: false });
  const { slug } = useTenant();
  const { data, error, refetch } = useQuery(keyQuery(slug, id));
  if (data) return <OfKey key={id} apiKey={data} />;
  const isMissing = isStatus(error, 404);
  return (
    <Stack>
      <PageHeader
        title={t('page.title')}
        breadcrumbs={[{ to: '/admin/settings/keys', label: t('title') }]}
      />
      {isMissing && (
        <EmptyState icon={IconKeyOff} title={t('page.missing')} text={t('page.missingText')} />
      )}
      {error && !isMissing && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && <Waiting />}
    </Stack>
  );
}

function OfKey({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('keys');
  const { canChange } = useTenant();
  const [open, setOpen] = useState<Open | null>(null);
  const { name, state, description } = apiKey;
  return (
    <Stack>
      <PageHeader
        title={name}
        description={description}
        breadcrumbs={[{ to: '/admin/settings/keys', label: t('title') }]}
        aside={
          <Badge variant="light" color={state === 'active' ? 'celadon' : 'gray'}>
            {t(`state.${state}`)}
          </Badge>
        }
        actions={canChange && state !== 'revoked' && <Actions apiKey={apiKey} onOpen={setOpen} />}
      />
      <Panel title={t('page.facts')}>
        <KeyFacts apiKey={apiKey} />
      </Panel>
      <Usage apiKey={apiKey} />
      <Refused id={apiKey.id} />
      <ToolsUsed id={apiKey.id} />
      <KeyFailures id={apiKey.id} />
      {canChange && <KeyHistory id={apiKey.id} />}
      <OpenKeyDialog open={open} onOpen={setOpen} />
    </Stack>
  );
}

interface ActionsProps {
  readonly apiKey: ApiKey;
  readonly onOpen: (open: Open) => void;
}

function Actions({ apiKey, onOpen }: ActionsProps) {
  const { t } = useTranslation('keys');
  return (
    <>
      <Button variant="default" onClick={() => onOpen({ action: 'change', key: apiKey })}>
        {t('actions.change')}
      </Button>
      {apiKey.rotatedTo === null && apiKey.kind === 'api' && (
        <Button variant="default" onClick={() => onOpen({ action: 'rotate', key: apiKey })}>
          {t('actions.rotate')}
        </Button>
      )}
      <Button color="red.8" onClick={() => onOpen({ action: 'revoke', key: apiKey })}>
        {t('actions.revoke')}
      </Button>
    </>
  );
}

/** Calls and failures over time. */
function Usage({ apiKey: { id } }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('keys');
  const { t: ofOverview } = useTranslation('overview');
  const { slug } = useTenant();
  const navigate = useNavigate();
  const range = useRange();
  const { data, error, refetch } = useQuery(keyUsageQuery(slug, id, range));
  const ofKey = data?.groups.find(({ subject }) => subject === id);
  const calls = data && { ...callsIn(data.timesMs), key: id };
  return (
    <Panel
      title={t('page.usage')}
      actions={
        <NativeSelect
          aria-label={ofOverview('controls.range')}
          value={range}
          onChange={({ currentTarget }) =>
            navigate({
              to: '/admin/settings/keys/$key',
              params: { key: id },
              search: readKeyPageSearch({ range: currentTarget.value }),
              replace: true,
            })
          }
          data={RANGES.map((value) => ({ value, label: ofOverview(`ranges.${value}`) }))}
        />
      }
    >
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {data && !ofKey && <Hint>{t('page.noCalls')}</Hint>}
      {(ofKey || !(data || error)) && (
        <>
          <Tiles figures={ofKey?.figures} before={undefined} calls={calls} />
          <Charts
            series={data && ofKey && { ...data, groups: [{ ...ofKey, kind: 'all' }] }}
            calls={calls}
          />
        </>
      )}
    </Panel>
  );
}

/** The period that the address names. */
function useRange(): Range {
  return readKeyPageSearch(useSearch({ strict: false })).range ?? USUAL_RANGE;
}

/** Requests in the same period that were refused before they became calls. */
function Refused({ id }: OfKeyProps) {
  const { t } = useTranslation('overview');
  const { slug } = useTenant();
  const refusals = useQuery(keyRefusalsQuery(slug, id, useRange()));
  return (
    <Panel title={t('refused.title')} description={t('refused.text')}>
      <RefusalReasons query={refusals} refusals={refusals.data} inDetail />
    </Panel>
  );
}

/** The tools that were called with the key in the same period. */
function ToolsUsed({ id }: OfKeyProps) {
  const { t } = useTranslation('keys');
  const { slug } = useTenant();
  const range = useRange();
  const tools = useQuery(keyToolsQuery(slug, id, range));
  return (
    <Panel title={t('tools.label')}>
      <FiguresTable
        label={t('tools.label')}
        query={tools}
        groups={tools.data?.groups}
        calls={({ subject, name }) => ({
          key: id,
          tool: name ?? subject ?? '',
          from: startOf(range),
        })}
        name={({ subject, name }) => (
          <LinkAnchor
            to="/admin/catalogue/$tool"
            params={{ tool: name ?? subject ?? '' }}
            size="sm"
          >
            {name ?? subject}
          </LinkAnchor>
        )}
      />
    </Panel>
  );
}

/** What a key is and may do. */
function KeyFacts({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('keys');
  const { prefix, createdAt, id, kind, client, scope, revokedAt } = apiKey;
  return (
    <Facts
      look="plain"
      label={t('page.facts')}
      facts={{
        [t('list.name')]:
          kind === 'api' ? <Code key="name">{prefix}…</Code> : (client ?? t('connectedApp')),
        [t('list.owner')]: <KeyOwner apiKey={apiKey} />,
        [t('page.created')]: <RelativeTime at={createdAt} />,
        [t('list.lastUsed')]: <KeyLastUsed apiKey={apiKey} />,
        [t('list.today')]: <KeyToday apiKey={apiKey} />,
        [revokedAt === null ? t('expiry.label') : t('state.revoked')]: (
          <KeyExpiry apiKey={apiKey} />
        ),
        [t('list.limits')]: <KeyLimits apiKey={apiKey} />,
        [t('scope.label')]: t(`scope.${scope ?? 'none'}`),
        [t('tools.label')]: <KeyTools apiKey={apiKey} isFull />,
        [t('page.id')]: <Code>{id}</Code>,
      }}
    />
  );
}

interface OfKeyProps {
  readonly id: string;
}

/** The last calls that failed; each leads to its record, and all to the audit log of the key. */
function KeyFailures({ id }: OfKeyProps) {
  const { t } = useTranslation('keys');
  const { slug } = useTenant();
  const failures = useQuery(keyFailuresQuery(slug, id));
  return (
    <Panel
      title={t('page.failures')}
      actions={
        <LinkAnchor to="/admin/audit" search={{ key: id, last: 'all' } as never} size="sm">
          {t('page.audit')}
        </LinkAnchor>
      }
    >
      <DataTable
        label={t('page.failures')}
        query={failures}
        rows={failures.data?.records}
        rowKey={({ auditId }) => auditId}
        empty={<Hint>{t('page.noFailures')}</Hint>}
        columns={[
          {
            header: t('page.time'),
            cell: ({ timestamp, auditId }) => (
              <LinkAnchor
                to="/admin/audit"
                search={{ key: id, last: 'all', record: auditId } as never}
                size="sm"
              >
                <RelativeTime at={timestamp} />
              </LinkAnchor>
            ),
            sort: ({ timestamp }) => timestamp,
          },
          {
            header: t('page.tool'),
            cell: ({ tool }) => <Code>{tool}</Code>,
            sort: ({ tool }) => tool,
          },
          {
            header: t('page.cause'),
            cell: (call) => <CallOutcome ending={endingOf(call)} />,
          },
        ]}
      />
    </Panel>
  );
}

/** Who created and changed the key. For the admins of its tenant. */
function KeyHistory({ id }: OfKeyProps) {
  const { t } = useTranslation('keys');
  const { slug } = useTenant();
  const nameOf = useActionName();
  const history = useQuery(keyHistoryQuery(slug, id));
  return (
    <Panel title={t('page.history')}>
      <DataTable
        label={t('page.history')}
        query={history}
        rows={history.data?.entries}
        rowKey={(entry) => entry.id}
        empty={<Hint>{t('page.noHistory')}</Hint>}
        columns={[
          {
            header: t('page.time'),
            cell: ({ timestamp }) => <RelativeTime at={timestamp} />,
            sort: ({ timestamp }) => timestamp,
          },
          {
            header: t('actions.change'),
            cell: ({ action }) => nameOf(action),
            sort: ({ action }) => nameOf(action),
          },
          {
            header: t('page.actor'),
            cell: ({ actor, actorEmail }) => actorEmail ?? <Code>{actor}</Code>,
          },
        ]}
      />
    </Panel>
  );
}
