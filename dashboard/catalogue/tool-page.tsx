import { Alert, Badge, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconKeyOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import type { Arguments } from '../playground/form-values.ts';
import { Playground } from '../playground/playground.tsx';
import { isSchema } from '../playground/read-fields.ts';
import type { ToolDetails } from '../playground/run-tool.ts';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { CopyButton, LinkAnchor } from '../shared/buttons.tsx';
import { FailingNotice, useFailing } from '../shared/failing.tsx';
import { Json } from '../shared/json.tsx';
import { NotFoundPage } from '../shared/not-found-page.tsx';
import { ErrorAlert, PageHeader, Section } from '../shared/page.tsx';
import { FactsSkeleton, FormSkeleton, RowsSkeleton } from '../shared/skeletons.tsx';
import { toolQuery } from './catalogue-queries.ts';
import { ColumnTable, ParameterTable } from './parameter-table.tsx';
import { ToolFacts } from './tool-facts.tsx';
import classes from './tool-page.module.css';
import { ToolStatistics } from './tool-statistics.tsx';
import { useCategoryName } from './use-category-name.ts';

/** One tool: what it is for, a place to try it, and what it takes and returns. */
export function ToolPage() {
  const { tool: name } = useParams({ from: '/admin/catalogue/$tool' });
  const tenant = useTenantInUse()?.slug ?? null;
  const { data: tool, error, refetch } = useQuery(toolQuery(tenant, name));
  if (error instanceof AdminError && error.status === 404) return <NotFoundPage />;
  if (error) {
    return (
      <>
        <PageHeader title={name} />
        <ErrorAlert error={error} onRetry={refetch} />
      </>
    );
  }
  return tool ? <Tool tool={tool} tenant={tenant} /> : <Loading name={name} />;
}

function Tool({ tool, tenant }: { readonly tool: ToolDetails; readonly tenant: string | null }) {
  const { t } = useTranslation('catalogue');
  const args = useArguments();
  const failing = useFailing(tenant).find(({ toolId }) => toolId === tool.id);
  return (
    <>
      <PageHeader
        title={tool.title ?? tool.name}
        breadcrumbs={<ToolBreadcrumbs category={tool.category} />}
        aside={<Badges tool={tool} />}
        description={
          <Group gap={4}>
            <Code>{tool.name}</Code>
            <CopyButton value={tool.name} />
          </Group>
        }
      />
      <Stack gap="xl">
        <Text className={classes.description}>{tool.description}</Text>
        <FailingNotice failing={failing} />
        <MissingSecrets secrets={tool.secrets} />
        <Section title={t('tool.playground')}>
          <Playground key={tool.name} tool={tool} args={args} />
        </Section>
        {tenant !== null && <ToolStatistics tenant={tenant} tool={tool.name} />}
        <Section title={t('tool.about')}>
          <ToolFacts tool={tool} />
        </Section>
        <Section title={t('tool.parameters')}>
          <ParameterTable tool={tool} />
        </Section>
        <Section title={t('tool.columns')}>
          <ColumnTable columns={tool.columns} />
        </Section>
        {tool.sample !== null && (
          <Section title={t('tool.sample')} note={t('tool.sampleNote')}>
            <div className={classes.sample}>
              <Json value={tool.sample} label={t('tool.sample')} />
            </div>
          </Section>
        )}
      </Stack>
    </>
  );
}

/** The arguments in the address; none if it holds anything else. */
function useArguments(): Arguments {
  const { args } = useSearch({ from: '/admin/catalogue/$tool' });
  return useMemo(() => {
    try {
      const parsed: unknown = JSON.parse(args ?? '{}');
      return isSchema(parsed) ? parsed : {};
    } catch {
      return {};
    }
  }, [args]);
}

function Badges({ tool }: { readonly tool: ToolDetails }) {
  const { t } = useTranslation('catalogue');
  const badge = (text: string, color: string) => (
    <Badge key={text} variant="light" color={color} tt="none" fw={500}>
      {text}
    </Badge>
  );
  return (
    <Group gap={6}>
      {tool.isPublicData && badge(t('facts.publicData'), 'celadon')}
      {tool.source === 'registered' && badge(t('facts.ownApi'), 'blue')}
      {tool.readOnly ? badge(t('facts.readOnly'), 'gray') : badge(t('facts.changes'), 'orange')}
    </Group>
  );
}

const Loading = ({ name }: { readonly name: string }) => (
  <div aria-busy="true">
    <PageHeader title={name} />
    <Stack>
      <Skeleton height={14} width="70%" />
      <Skeleton height={14} width="50%" />
      <FormSkeleton />
      <RowsSkeleton />
      <FactsSkeleton />
    </Stack>
  </div>
);

/** Says that calls will fail, and to operators where to change that. Visitors do not learn which secrets are set. */
function MissingSecrets({ secrets }: Pick<ToolDetails, 'secrets'>) {
  const { t } = useTranslation('catalogue');
  const isOperator = usePerson()?.isOperator ?? false;
  const missing = secrets.filter(({ isSet }) => isSet === false).map(({ name }) => name);
  if (missing.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconKeyOff aria-hidden />}>
      {t('missingSecret', { names: missing.join(', '), count: missing.length })}{' '}
      {isOperator ? (
        <LinkAnchor to="/admin/settings/provider-keys" inherit>
          {t('facts.setSecret')}
        </LinkAnchor>
      ) : (
        t('askOperator')
      )}
    </Alert>
  );
}

/** Leads from a tool to its category. */
function ToolBreadcrumbs({ category }: { readonly category: string }) {
  const { t } = useTranslation('catalogue');
  const nameOf = useCategoryName();
  return (
    <Group component="nav" gap={6} aria-label={t('tool.breadcrumbs')} mb={4}>
      <LinkAnchor to="/admin/catalogue" size="sm">
        {t('title')}
      </LinkAnchor>
      <span aria-hidden>/</span>
      <LinkAnchor to="/admin/catalogue" search={{ category }} size="sm">
        {nameOf(category)}
      </LinkAnchor>
    </Group>
  );
}
