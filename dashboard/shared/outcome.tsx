import { Badge, ColorSwatch, Group, Tooltip } from '@mantine/core';
import { type ReactNode, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { failureOrigin } from '../../src/audit/record/failure-origin.ts';
import type { TimeSeries } from './chart-data.ts';

/** Who is responsible for what a call came to. */
export const ORIGINS = ['ok', 'caller', 'upstream', 'gateway'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The origin of a call by its outcome and the code of its error, as the statistics count it. */
export const originOf = (
  outcome: 'ok' | 'upstream_error' | 'error',
  code: string | null = null,
): Origin => failureOrigin(outcome, code) ?? 'ok';

/** The variable of `global.css` that colours an origin on every page. */
export const colourOf = (origin: Origin): `--outcome-${Origin}` => `--outcome-${origin}`;

interface Failures {
  readonly failures: Readonly<Record<Exclude<Origin, 'ok'>, number>>;
}

/** Failed calls, without those that their callers got wrong. */
export const failuresOf = ({ failures: { upstream, gateway } }: Failures): number =>
  upstream + gateway;

/** What origins are called on every page. */
export function useOriginName(): (origin: Origin) => string {
  const { t } = useTranslation('shared');
  return (origin) => t(`outcome.${origin}`);
}

interface OutcomePoints {
  readonly calls: readonly number[];
  readonly callerFailures: readonly number[];
  readonly upstreamFailures: readonly number[];
  readonly gatewayFailures: readonly number[];
}

/** The lines of a chart of calls by their outcome. */
export function useOutcomeSeries(): (points: OutcomePoints) => TimeSeries[] {
  const { t } = useTranslation('shared');
  return useCallback(
    (points) => {
      const {
        callerFailures: caller,
        upstreamFailures: upstream,
        gatewayFailures: gateway,
      } = points;
      const failed = (at: number) => [caller, upstream, gateway].map((each) => each[at] ?? 0);
      const ok = points.calls.map((calls, at) => failed(at).reduce((rest, n) => rest - n, calls));
      const values = { ok, caller, upstream, gateway };
      return ORIGINS.map((origin) => ({
        key: origin,
        label: t(`outcome.${origin}`),
        colour: colourOf(origin),
        values: values[origin],
      }));
    },
    [t],
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
