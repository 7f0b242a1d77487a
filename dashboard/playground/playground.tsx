import { Paper } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { useTenantInUse } from '../session/session.ts';
import { lazyPart } from '../shared/waiting.tsx';
import { ArgumentForm } from './argument-form.tsx';
import { arrangeFields } from './arrange-fields.ts';
import type { Arguments } from './form-values.ts';
import classes from './playground.module.css';
import { atVaried, OVER, overTexts } from './ranges.ts';
import { readFields } from './read-fields.ts';
import { RunPanel, type ToStart } from './run-panel.tsx';
import { type Run, runUnlessLong, splitIssues, type ToolDetails } from './run-tool.ts';

const SnippetPanel = lazyPart(async () => (await import('./snippet-panel.tsx')).SnippetPanel);

export interface PlaygroundProps {
  readonly tool: ToolDetails;
  /** The arguments in the address. */
  readonly args: Arguments;
}

/** Runs a tool: a form for its arguments, what it returned, and the same call in code. */
export function Playground({ tool, args }: PlaygroundProps) {
  const { fields, shown } = useMemo(
    () => arrangeFields(readFields(tool.inputSchema, tool.rangeStarts)),
    [tool],
  );
  const { run, start, stop } = useRun(tool.name);
  const result = useRef<HTMLDivElement>(null);
  const { error, arguments: asked } = run.data ?? {};
  const issues = useMemo(
    () =>
      splitIssues(
        atVaried(error?.data?.errors ?? [], overTexts(asked?.[OVER])),
        fields.map(({ name }) => name),
      ),
    [error, asked, fields],
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
          lastRun={run.data}
          isRunning={run.isPending}
          onRun={(given) => start({ args: given, run: runUnlessLong })}
          onStop={stop}
        />
      </Paper>
      <div className={classes.result} ref={result}>
        <RunPanel run={run} tool={tool} issues={issues} onStart={start} onStop={stop} />
        <SnippetPanel tool={tool.name} args={run.variables?.args ?? args} />
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
    mutationFn: ({ args, run: send }: ToStart): Promise<Run> => {
      controller.current = new AbortController();
      return send({ tenant, tool, args }, controller.current.signal);
    },
  });
  const start = (wanted: ToStart): void => {
    run.mutate(wanted);
    void navigate({
      to: '/admin/catalogue/$tool',
      params: { tool },
      search: (before) => ({ ...before, args: JSON.stringify(wanted.args) }),
      resetScroll: false,
    });
  };
  const stop = (): void => {
    controller.current?.abort();
    run.reset();
  };
  return { run, start, stop };
}
