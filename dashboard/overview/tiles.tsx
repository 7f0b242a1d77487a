import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type CallsFilter, CallsLink } from '../shared/calls-link.tsx';
import { FAILED, FAILURE_ORIGINS, failuresOf, type Origin, Outcome } from '../shared/outcome.tsx';
import { Hint } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import { Waiting } from '../shared/waiting.tsx';
import classes from './overview.module.css';
import type { Figures } from './overview-queries.ts';

interface TilesProps {
  readonly figures: Figures | undefined;
  /** Of the period before. */
  readonly before: Figures | undefined;
  /** Finds the calls in the audit log; undefined if it has no such page. */
  readonly calls: CallsFilter | undefined;
}

/** The figures of the period, each beside the figure of the period before. */
export function Tiles({ figures, before, calls }: TilesProps) {
  const { t } = useTranslation('overview');
  const { count, percent, duration, bytes } = useFormat();
  if (!figures) return <Waiting lines={4} />;
  const ofOrigin = (origin: Origin) => calls && { ...calls, origin };
  const share = (of: Figures) => (of.calls === 0 ? null : failuresOf(of) / of.calls);
  const show = (value: number | null, format: (value: number) => string) =>
    value === null ? '–' : format(value);
  // Nothing is compared with a period without calls, nor with a figure that it did not have.
  const was = (
    figureOf: (of: Figures) => number | null,
    format: (value: number) => string,
  ): string | null => {
    const value = before && before.calls > 0 ? figureOf(before) : null;
    return value === null ? null : t('tiles.before', { value: format(value) });
  };
  return (
    <section className={classes.tiles} aria-label={t('tiles.label')}>
      <Tile
        label={t('tiles.calls')}
        value={<CallsLink calls={calls}>{count(figures.calls)}</CallsLink>}
        before={was(({ calls }) => calls, count)}
      >
        {t('tiles.sent', { bytes: bytes(figures.responseBytes) })}
      </Tile>
      <Tile
        label={t('tiles.failures')}
        value={
          <CallsLink calls={failuresOf(figures) > 0 ? calls && { ...calls, ...FAILED } : undefined}>
            {show(share(figures), percent)}
          </CallsLink>
        }
        before={was(share, percent)}
      >
        <Group component="ul" gap="0.15rem 0.75rem" m={0} p={0} style={{ listStyle: 'none' }}>
          {FAILURE_ORIGINS.map((origin) => (
            <li key={origin}>
              <Outcome origin={origin}>
                <CallsLink calls={figures.failures[origin] > 0 ? ofOrigin(origin) : undefined}>
                  {count(figures.failures[origin])}
                </CallsLink>
              </Outcome>
            </li>
          ))}
        </Group>
      </Tile>
      <Tile
        label={t('tiles.cache')}
        value={show(figures.cacheRatio, percent)}
        before={was(({ cacheRatio }) => cacheRatio, percent)}
      >
        {t('tiles.requests', { requests: count(figures.upstreamRequests) })}
      </Tile>
      {(['p50Ms', 'p95Ms', 'p99Ms'] as const).map((quantile) => (
        <Tile
          key={quantile}
          label={t(`tiles.${quantile}`)}
          value={show(figures[quantile], duration)}
          before={was((of) => of[quantile], duration)}
        />
      ))}
    </section>
  );
}

interface TileProps {
  readonly label: string;
  readonly value: ReactNode;
  /** Null if there is nothing to compare with. */
  readonly before: string | null;
  readonly children?: ReactNode;
}

const Tile = ({ label, value, before, children }: TileProps) => (
  <div className={classes.card}>
    <Hint>{label}</Hint>
    <Text fz="clamp(1.2rem, 1.9vw, 1.6rem)" fw={650} lh={1.25} style={{ whiteSpace: 'nowrap' }}>
      {value}
    </Text>
    {before !== null && <Hint size="xs">{before}</Hint>}
    {children && (
      <Text size="xs" mt={6} component="div">
        {children}
      </Text>
    )}
  </div>
);
