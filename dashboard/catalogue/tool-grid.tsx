import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenantInUse } from '../session/session.ts';
import { FailingNotice, type FailingTool, useFailing } from '../shared/failing.tsx';
import { Section } from '../shared/page.tsx';
import { Waiting } from '../shared/waiting.tsx';
import { type ToolCard, useCategoryName } from './catalogue-queries.ts';
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
  const failing = useFailing(useTenantInUse()?.slug ?? null);
  return (
    <ul className={classes.grid}>
      {tools.map((tool) => (
        <li key={tool.name}>
          <Card tool={tool} failing={failing.find((each) => each.tool === tool.name)} />
        </li>
      ))}
    </ul>
  );
}

interface CardProps {
  readonly tool: ToolCard;
  readonly failing: FailingTool | undefined;
}

function Card({ tool, failing }: CardProps) {
  const { t } = useTranslation('catalogue');
  const { name, title, summary, server, source } = tool;
  return (
    <article className={classes.card}>
      <Link to="/admin/catalogue/$tool" params={{ tool: name }} className={classes.link}>
        {title ?? name}
      </Link>
      <code className={classes.name}>{name}</code>
      <p className={classes.summary}>{summary}</p>
      <FailingNotice failing={failing} />
      <div className={classes.badges}>
        <span className={classes.server}>{server.name}</span>
        {source === 'registered' && (
          <Badge variant="light" color="blue" size="sm" tt="none" fw={500}>
            {t('own')}
          </Badge>
        )}
      </div>
    </article>
  );
}
