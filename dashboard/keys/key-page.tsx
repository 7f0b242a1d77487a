import { Badge, Breadcrumbs, Button, NativeSelect, Skeleton, Stack } from '@mantine/core';
import { IconKeyOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { Charts } from '../overview/charts.tsx';
import { RANGES } from '../overview/overview-search.ts';
import { Tiles } from '../overview/tiles.tsx';
import { useTenant } from '../session/session.ts';
import { LinkAnchor } from '../shared/buttons.tsx';
import { EmptyState, ErrorAlert, Hint, PageHeader } from '../shared/page.tsx';
import { Section } from '../shared/section.tsx';
import type { Open } from './key-dialogs.tsx';
import { KeyFacts } from './key-facts.tsx';
import { KeyFailures, KeyHistory } from './key-past.tsx';
import { type ApiKey, keyQuery, keyUsageQuery } from './key-queries.ts';
import { readKeyPageSearch, USUAL_RANGE } from './key-search.ts';
import { OpenKeyDialog } from './open-key-dialog.tsx';

/** One API key: what it may do, how it is used, what failed, and who changed it. */
export function KeyPage() {
  const { t } = useTranslation('keys');
  const { key: id = '' } = useParams({ strict: false });
  const { slug } = useTenant();
  const { data, error, refetch } = useQuery(keyQuery(slug, id));
  if (data) return <OfKey key={id} apiKey={data} />;
  const isMissing = error instanceof AdminError && error.status === 404;
  return (
    <Stack>
      <PageHeader title={t('page.title')} breadcrumbs={<ToList />} />
      {isMissing && (
        <EmptyState icon={IconKeyOff} title={t('page.missing')} text={t('page.missingText')} />
      )}
      {error && !isMissing && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && <Skeleton height={240} radius="lg" />}
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
        breadcrumbs={<ToList />}
        aside={
          <Badge variant="light" color={state === 'active' ? 'celadon' : 'gray'}>
            {t(`state.${state}`)}
          </Badge>
        }
        actions={canChange && state !== 'revoked' && <Actions apiKey={apiKey} onOpen={setOpen} />}
      />
      <Section title={t('page.facts')}>
        <KeyFacts apiKey={apiKey} />
      </Section>
      <Usage apiKey={apiKey} />
      <KeyFailures id={apiKey.id} />
      {canChange && <KeyHistory id={apiKey.id} />}
      <OpenKeyDialog open={open} onOpen={setOpen} />
    </Stack>
  );
}

function ToList() {
  const { t } = useTranslation('keys');
  return (
    <Breadcrumbs mb={4} component="nav" aria-label={t('page.crumbs')}>
      <LinkAnchor to="/admin/settings/keys" size="sm">
        {t('title')}
      </LinkAnchor>
    </Breadcrumbs>
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
  const { range = USUAL_RANGE } = readKeyPageSearch(useSearch({ strict: false }));
  const { data, error, refetch } = useQuery(keyUsageQuery(slug, id, range));
  const ofKey = data?.groups.find(({ subject }) => subject === id);
  return (
    <Section
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
          <Tiles figures={ofKey?.figures} before={undefined} />
          <Charts series={data && ofKey && { ...data, groups: [{ ...ofKey, kind: 'all' }] }} />
        </>
      )}
    </Section>
  );
}
