import { Alert, Badge, Code, Group, Paper, Stack, Text } from '@mantine/core';
import { IconKeyOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { isStatus } from '../api/admin-error.ts';
import type { Arguments } from '../playground/form-values.ts';
import { Playground } from '../playground/playground.tsx';
import { isSchema } from '../playground/read-fields.ts';
import type { ToolDetails } from '../playground/run-tool.ts';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { CopyButton, LinkAnchor } from '../shared/buttons.tsx';
import { useCategoryName } from '../shared/category-name.ts';
import { Json } from '../shared/json.tsx';
import { ErrorAlert, NotFoundPage, PageHeader, Section } from '../shared/page.tsx';
import { ProblemNotice, problemWith, useProblems } from '../shared/problems.tsx';
import { Waiting } from '../shared/waiting.tsx';
import { toolQuery } from './catalogue-queries.ts';
import { ColumnTable, ParameterTable } from './parameter-table.tsx';
import { ToolCallers, ToolFacts, ToolStatistics } from './tool-facts.tsx';

/** One tool: what it is for, a place to try it, and what it takes and returns. */
export function ToolPage() {
  const { tool: name } = useParams({ from: '/admin/catalogue/$tool' });
  const tenant = useTenantInUse()?.slug ?? null;
  const { data: tool, error, refetch } = useQuery(toolQuery(tenant, name));
  if (isStatus(error, 404)) return <NotFoundPage />;
  if (tool) return <Tool tool={tool} tenant={tenant} />;
  return (
    <>
      <PageHeader title={name} />
      {error ? <ErrorAlert error={error} onRetry={refetch} /> : <Waiting lines={12} />}
    </>
  );
}

function Tool({ tool, tenant }: { readonly tool: ToolDetails; readonly tenant: string | null }) {
  const { t } = useTranslation('catalogue');
  const args = useArguments();
  const nameOf = useCategoryName();
  const isThis = ({ id }: { readonly id: string }) => id === tool.id;
  const problem = problemWith(useProblems(tenant), isThis);
  return (
    <>
      <PageHeader
        title={tool.title ?? tool.name}
        breadcrumbs={[
          { to: '/admin/catalogue', label: t('title') },
          {
            to: '/admin/catalogue',
            search: { category: tool.category },
            label: nameOf(tool.category),
          },
        ]}
        aside={<Badges tool={tool} />}
        description={
          <Group gap={4}>
            <Code>{tool.name}</Code>
            <CopyButton value={tool.name} />
          </Group>
        }
      />
      <Stack gap="xl">
        <Text maw="52rem" lh={1.6}>
          {tool.description}
        </Text>
        <ProblemNotice problem={problem} isMeant={isThis} />
        <MissingSecrets secrets={tool.secrets} />
        <Section title={t('tool.playground')}>
          <Playground key={tool.name} tool={tool} args={args} />
        </Section>
        {tenant !== null && <ToolStatistics tenant={tenant} tool={tool.name} />}
        {tenant !== null && <ToolCallers tenant={tenant} tool={tool.name} />}
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
            <Paper withBorder px="md" py="sm" mah="30rem" style={{ overflow: 'auto' }}>
              <Json value={tool.sample} label={t('tool.sample')} />
            </Paper>
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
