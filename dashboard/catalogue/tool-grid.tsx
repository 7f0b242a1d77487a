import { Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenantInUse } from '../session/session.ts';
import { useCategoryName } from '../shared/category-name.ts';
import { Hint, Section } from '../shared/page.tsx';
import { type Problem, ProblemNotice, problemWith, useProblems } from '../shared/problems.tsx';
import { Waiting } from '../shared/waiting.tsx';
import type { ToolCard } from './catalogue-queries.ts';
import classes from './tool-grid.module.css';

export interface ToolGridProps {
  /** Undefined while they are loaded. */
  readonly tools: readonly ToolCard[] | undefined;
  /** The best match comes first, so the tools are not grouped. */
  readonly isRanked: boolean;
  readonly empty: ReactNode;
}

/** Tools as cards; without a ranking, by category. */
export function ToolGrid({ tools, isRanked, empty }: ToolGridProps) {
  const nameOf = useCategoryName();
  if (!tools) return <Waiting lines={12} />;
  if (tools.length === 0) return empty;
  const groups = [...Map.groupBy(tools, ({ category }) => category)];
  if (isRanked || groups.length === 1) return <Cards tools={tools} />;
  return groups.map(([category, group]) => (
    <Section key={category} title={nameOf(category)}>
      <Cards tools={group} />
    </Section>
  ));
}

function Cards({ tools }: { readonly tools: readonly ToolCard[] }) {
  const problems = useProblems(useTenantInUse()?.slug ?? null);
  return (
    <ul className={classes.grid}>
      {tools.map((tool) => (
        <li key={tool.name}>
          <Card tool={tool} problem={problemWith(problems, ({ name }) => name === tool.name)} />
        </li>
      ))}
    </ul>
  );
}

interface CardProps {
  readonly tool: ToolCard;
  readonly problem: Problem | undefined;
}

function Card({ tool, problem }: CardProps) {
  const { t } = useTranslation('catalogue');
  const { name, title, summary, server, source } = tool;
  return (
    <article className={classes.card}>
      <Link to="/admin/catalogue/$tool" params={{ tool: name }} className={classes.link}>
        {title ?? name}
      </Link>
      <Hint size="xs" ff="monospace" component="code">
        {name}
      </Hint>
      <Text size="sm" lineClamp={3} mt="xs" mb="auto">
        {summary}
      </Text>
      <ProblemNotice problem={problem} isMeant={(each) => each.name === name} />
      <Group gap={6} mt="sm" wrap="nowrap">
        <Hint size="xs" truncate component="span">
          {server.name}
        </Hint>
        {source === 'registered' && (
          <Badge variant="light" color="blue" size="sm" tt="none" fw={500}>
            {t('own')}
          </Badge>
        )}
      </Group>
    </article>
  );
}
