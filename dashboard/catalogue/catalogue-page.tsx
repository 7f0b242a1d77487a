import { Button, Center, Stack, Text } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useTenantInUse } from '../app/tenant-in-use.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { CatalogueFilters } from './catalogue-filters.tsx';
import { toolsQuery } from './catalogue-queries.ts';
import type { CatalogueSearch } from './routes.ts';
import { ToolGrid } from './tool-grid.tsx';

/** All tools that one may see, by category and by search. */
export function CataloguePage() {
  const { t } = useTranslation('catalogue');
  const { q, category, source } = useSearch({ from: '/admin/catalogue' });
  const filters = { ...(q && { q }), ...(category && { category }), ...(source && { source }) };
  const tenant = useTenantInUse()?.slug ?? null;
  const found = useInfiniteQuery(toolsQuery(tenant, filters));
  const pages = found.data?.pages;
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <CatalogueFilters filters={filters} categories={pages?.[0]?.categories} />
      {found.error ? (
        <ErrorAlert error={found.error} onRetry={found.refetch} />
      ) : (
        <Stack>
          <Text size="sm" c="dimmed" role="status">
            {pages?.[0] ? t('count', { count: pages[0].total }) : t('loading')}
          </Text>
          <ToolGrid
            tools={pages?.flatMap(({ tools }) => tools)}
            isRanked={q !== undefined}
            empty={<NothingFound filters={filters} />}
          />
          {found.hasNextPage && (
            <Center>
              <Button
                variant="default"
                onClick={() => found.fetchNextPage()}
                loading={found.isFetchingNextPage}
              >
                {t('more')}
              </Button>
            </Center>
          )}
        </Stack>
      )}
    </>
  );
}

function NothingFound({ filters }: { readonly filters: CatalogueSearch }) {
  const { t } = useTranslation('catalogue');
  const navigate = useNavigate();
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <EmptyState
      icon={IconSearchOff}
      title={t('empty.title')}
      text={isFiltered ? t('empty.text') : undefined}
      action={
        isFiltered && (
          <Button variant="light" onClick={() => navigate({ to: '/admin/catalogue' })}>
            {t('empty.reset')}
          </Button>
        )
      }
    />
  );
}
