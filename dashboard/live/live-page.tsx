import { Alert, Button, Stack } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import { useNames } from '../audit/audit-queries.ts';
import { PageHeader } from '../shared/page-header.tsx';
import { type LiveFilter, matches } from './live-feed.ts';
import { LiveFilters } from './live-filters.tsx';
import { LiveStatus } from './live-status.tsx';
import { LiveTable } from './live-table.tsx';
import { type LiveView, useLiveFeed } from './use-live-feed.ts';

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
      <LiveTable calls={shown} names={names} isFiltered={filter !== EVERYTHING} />
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
        leftSection={<Icon size={16} aria-hidden />}
      >
        {t(isPaused ? 'resume' : 'pause')}
      </Button>
      <Button
        size="xs"
        variant="default"
        onClick={clear}
        leftSection={<IconTrash size={16} aria-hidden />}
      >
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
