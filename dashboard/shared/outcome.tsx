import { Badge, ColorSwatch, Group, Text, Tooltip } from '@mantine/core';
import { type ReactNode, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type CallCause,
  callCause,
  type FailureOrigin,
  failureOrigin,
} from '../../src/audit/record/failure-origin.ts';
import type { Cause } from '../../src/platform/kernel/cause.ts';
import type { CallsFilter } from './calls-link.tsx';
import type { TimeSeries } from './chart-data.ts';

/** Who must act on what a call came to. */
export const ORIGINS = ['ok', 'caller', 'key', 'upstream', 'gateway'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The origins of a failure. */
export const FAILURE_ORIGINS = ORIGINS.filter((origin) => origin !== 'ok');

/** How a call ended. */
export interface Ending {
  readonly outcome: 'ok' | 'upstream_error' | 'error';
  /** The code of the error. */
  readonly code: string | null;
  readonly cause: Cause | null;
  /** Of the upstream. */
  readonly status: number | null;
}

interface Recorded extends Pick<Ending, 'outcome' | 'cause'> {
  readonly error: { readonly code: string } | null;
  readonly upstream: Pick<Ending, 'status'>;
}

/** How the call of an audit record ended. */
export const endingOf = ({ outcome, error, cause, upstream }: Recorded): Ending => ({
  outcome,
  code: error?.code ?? null,
  cause,
  status: upstream.status,
});

/** The origin of a call, as the statistics count it. */
export const originOf = ({ outcome, code, cause }: Omit<Ending, 'status'>): Origin =>
  failureOrigin(outcome, code, cause) ?? 'ok';

/** The variable of `global.css` that colours an origin on every page. */
export const colourOf = (origin: Origin): `--outcome-${Origin}` => `--outcome-${origin}`;

interface Failures {
  readonly failures: Readonly<Record<FailureOrigin, number>>;
}

/** Failed calls, whoever must act. */
export const failuresOf = ({ failures }: Failures): number =>
  FAILURE_ORIGINS.reduce((sum, origin) => sum + failures[origin], 0);

/** What origins are called on every page. */
export function useOriginName(): (origin: Origin) => string {
  const { t } = useTranslation('shared');
  return (origin) => t(`outcome.${origin}`);
}

/** What causes are called on every page. */
export function useCauseName(): (cause: CallCause, status?: number | null) => string {
  const { t } = useTranslation('shared');
  return (cause, status = null) => {
    if (status === null || status < 400) return t(`cause.${cause}`);
    if (cause === 'upstream') return t('cause.answers', { status });
    return t('cause.withStatus', { cause: t(`cause.${cause}`), status });
  };
}

interface OutcomePoints {
  readonly calls: readonly number[];
  readonly callerFailures: readonly number[];
  readonly keyFailures: readonly number[];
  readonly upstreamFailures: readonly number[];
  readonly gatewayFailures: readonly number[];
}

/** Failed calls at each point in time. */
export const failedCalls = (points: Omit<OutcomePoints, 'calls'>): number[] =>
  points.callerFailures.map((_, at) =>
    FAILURE_ORIGINS.reduce((sum, origin) => sum + (points[`${origin}Failures`][at] ?? 0), 0),
  );

/** The lines of a chart of calls by their outcome. */
export function useOutcomeSeries(): (
  points: OutcomePoints,
  calls: CallsFilter | undefined,
) => TimeSeries[] {
  const { t } = useTranslation('shared');
  return useCallback(
    (points, calls) => {
      const failed = failedCalls(points);
      const ok = points.calls.map((calls, at) => calls - (failed[at] ?? 0));
      return ORIGINS.map((origin) => {
        const values = origin === 'ok' ? ok : points[`${origin}Failures`];
        const hasCalls = values.some((value) => value > 0);
        return {
          key: origin,
          label: t(`outcome.${origin}`),
          colour: colourOf(origin),
          values,
          calls: hasCalls && calls ? { ...calls, ...filterOf(origin) } : undefined,
        };
      });
    },
    [t],
  );
}

/** Finds failed calls in the audit log, whoever must act. */
export const FAILED = { origin: 'failed' } as const;

/** The members of the address of the audit log that find calls by their origin. */
const filterOf = (origin: Origin): CallsFilter => (origin === 'ok' ? { status: 'ok' } : { origin });

/** What a call came to: who must act, and why, with the status of the upstream. */
export function CallOutcome({ ending }: { readonly ending: Ending }) {
  const { outcome, code, cause, status } = ending;
  const nameOf = useCauseName();
  const origin = originOf(ending);
  const why = callCause(outcome, code, cause);
  const said = why && nameOf(why, status);
  if (origin === 'gateway' && said) return <Outcome origin={origin} label={said} />;
  return (
    <Outcome origin={origin}>
      {said && (
        <Text span size="xs" c="dimmed">
          {said}
        </Text>
      )}
    </Outcome>
  );
}

interface OutcomeProps {
  readonly origin: Origin;
  /** In place of the name of the origin. */
  readonly label?: string;
  readonly children?: ReactNode;
}

/** A coloured dot, and a word that says the same without the colour. */
export function Outcome({ origin, label, children }: OutcomeProps) {
  const nameOf = useOriginName();
  return (
    <Group component="span" display="inline-flex" gap="0 0.4rem">
      <ColorSwatch
        component="span"
        size="0.55rem"
        withShadow={false}
        color={`var(${colourOf(origin)})`}
        data-origin={origin}
        aria-hidden
      />
      <span>{label ?? nameOf(origin)}</span>
      {children}
    </Group>
  );
}

/** Marks data that the sandbox has made up. */
export function SampleBadge() {
  const { t } = useTranslation('shared');
  return (
    <Tooltip label={t('sample.hint')} w={240}>
      <Badge variant="default" tt="none">
        {t('sample.label')}
      </Badge>
    </Tooltip>
  );
}
