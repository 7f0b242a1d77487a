import { Paper } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { useTenantInUse } from '../session/session.ts';
import { ArgumentForm } from './argument-form.tsx';
import { arrangeFields } from './arrange-fields.ts';
import type { Arguments } from './form-values.ts';
import classes from './playground.module.css';
import { readFields } from './read-fields.ts';
import { RunPanel } from './run-panel.tsx';
import { type Run, runTool, splitIssues, type ToolDetails } from './run-tool.ts';
import { SnippetPanel } from './snippet-panel.tsx';

export interface PlaygroundProps {
  readonly tool: ToolDetails;
  /** The arguments in the address. */
  readonly args: Arguments;
}

/** Runs a tool: a form for its arguments, what it returned, and the same call in code. */
export function Playground({ tool, args }: PlaygroundProps) {
  const { fields, shown } = useMemo(
    () => arrangeFields(readFields(tool.inputSchema)),
    [tool.inputSchema],
  );
  const { run, start, stop } = useRun(tool.name);
  const result = useRef<HTMLDivElement>(null);
  const error = run.data?.error;
  const issues = useMemo(
    () =>
      splitIssues(
        error?.data?.errors ?? [],
        fields.map(({ name }) => name),
      ),
    [error, fields],
  );
  useEffect(() => {
    // On a narrow screen the result is below the form.
    if (run.isPending) result.current?.scrollIntoView({ block: 'nearest' });
  }, [run.isPending]);
  return (
    <div className={classes.root}>
      <Paper withBorder p="md">
        <ArgumentForm
          fields={fields}
          shown={shown}
          issues={issues.byName}
          tool={tool}
          args={args}
          isRunning={run.isPending}
          onRun={start}
          onStop={stop}
        />
      </Paper>
      <div className={classes.result} ref={result}>
        <RunPanel
          run={run}
          tool={tool}
          issues={issues}
          onRetry={() => run.variables && start(run.variables)}
        />
        <SnippetPanel tool={tool.name} args={run.variables ?? args} />
      </div>
    </div>
  );
}

/** A run at a time; its arguments are in the address, so that it can be repeated, changed and shared. */
function useRun(tool: string) {
  const tenant = useTenantInUse()?.slug ?? '';
  const navigate = useNavigate();
  const controller = useRef<AbortController>(null);
  const run = useMutation({
    mutationFn: (args: Arguments): Promise<Run> => {
      controller.current = new AbortController();
      return runTool({ tenant, tool, args }, controller.current.signal);
    },
  });
  const start = (args: Arguments): void => {
    run.mutate(args);
    void navigate({
      to: '/admin/catalogue/$tool',
      params: { tool },
      search: (before) => ({ ...before, args: JSON.stringify(args) }),
      resetScroll: false,
    });
  };
  const stop = (): void => {
    controller.current?.abort();
    run.reset();
  };
  return { run, start, stop };
}
