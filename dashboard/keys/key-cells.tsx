import { Badge, Code, Group, Stack, Text, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import { useEntryName } from '../shared/category-name.ts';
import { Hint } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { ApiKey } from './key-queries.ts';

export interface KeyCellProps {
  readonly apiKey: ApiKey;
}

/** Otherwise narrow columns would break words and numbers. */
const LINE = { whiteSpace: 'nowrap' } as const;

const STATE_COLOURS = { active: 'celadon', expired: 'gray', revoked: 'gray' } as const;

/** Name, which leads to the key's page, beginning and state. A state other than active also says so in words. */
export function KeyName({ apiKey }: KeyCellProps) {
  const { t } = useTranslation('keys');
  const { id, name, prefix, state, description, rotatedTo, rotatedFrom, kind } = apiKey;
  const isReplaced = state === 'active' && rotatedTo !== null;
  return (
    <Stack gap={2}>
      <Group gap={6}>
        <LinkAnchor to="/admin/settings/keys/$key" params={{ key: id }} size="sm" fw={600}>
          {name}
        </LinkAnchor>
        {state !== 'active' && (
          <Badge size="sm" variant="light" color={STATE_COLOURS[state]}>
            {t(`state.${state}`)}
          </Badge>
        )}
        {isReplaced && (
          <Tooltip label={t('state.replacedHint')}>
            <Badge size="sm" variant="light" color="yellow">
              {t('state.replaced')}
            </Badge>
          </Tooltip>
        )}
        {rotatedFrom !== null && state === 'active' && !isReplaced && (
          <Badge size="sm" variant="light">
            {t('state.replacement')}
          </Badge>
        )}
      </Group>
      <Group gap={6}>
        {kind === 'api' ? <Code>{prefix}…</Code> : <Hint size="xs">{t('connectedApp')}</Hint>}
        {description && (
          <Hint size="xs" lineClamp={1} component="span">
            {description}
          </Hint>
        )}
      </Group>
    </Stack>
  );
}

/** Who created the key. */
export function KeyOwner({ apiKey }: KeyCellProps) {
  const { t } = useTranslation('keys');
  const { owner } = apiKey;
  if (owner?.name) {
    return (
      <Text span inherit truncate display="inline-block" maw="9rem" title={owner.name}>
        {owner.name}
      </Text>
    );
  }
  const place = owner?.id === 'cli' || owner?.id === 'start' ? owner.id : 'unknown';
  return <Hint component="span">{t(`owner.${place}`)}</Hint>;
}

interface KeyToolsProps extends KeyCellProps {
  /** Shows all entries of the list. */
  readonly isFull?: boolean;
}

/** Which tools, and whether clients search for them. */
export function KeyTools(props: KeyToolsProps) {
  const { t } = useTranslation('keys');
  if (props.apiKey.mode === null) return <AllowedTools {...props} />;
  return (
    <Stack gap={0}>
      <AllowedTools {...props} />
      <Hint size="xs" component="span">
        {t('form.searches')}
      </Hint>
    </Stack>
  );
}

/** The tools in short, and all entries of the list on hover. */
function AllowedTools({ apiKey, isFull = false }: KeyToolsProps) {
  const { t } = useTranslation('keys');
  const nameOf = useEntryName();
  const { allowedTools } = apiKey;
  if (allowedTools === null) return <span>{t('tools.all')}</span>;
  if (allowedTools.length === 0) return <span>{t('tools.none')}</span>;
  if (isFull) return <span>{allowedTools.map(nameOf).join(', ')}</span>;
  const [first = '', ...rest] = allowedTools.map(nameOf);
  return (
    <Tooltip label={allowedTools.join(', ').slice(0, 1000)} disabled={rest.length === 0}>
      <span>{rest.length === 0 ? first : t('tools.more', { first, count: rest.length })}</span>
    </Tooltip>
  );
}

/** Both limits, each on a line. */
export function KeyLimits({ apiKey }: KeyCellProps) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const { rateLimitPerMinute, effectiveRateLimitPerMinute, dailyLimit } = apiKey;
  if (rateLimitPerMinute === null && dailyLimit === null) {
    return <Hint component="span">{t('limits.gateway')}</Hint>;
  }
  return (
    <Stack gap={0} style={LINE}>
      {rateLimitPerMinute !== null && (
        <PerMinute given={rateLimitPerMinute} effective={effectiveRateLimitPerMinute} />
      )}
      {dailyLimit !== null && (
        <span>{t('limits.perDay', { limit: format.count(dailyLimit) })}</span>
      )}
    </Stack>
  );
}

/** The limit that the key was given, and what of it applies if that is less. */
function PerMinute({ given, effective }: { given: number; effective: number | null }) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  if (effective === null || effective === given) {
    return <span>{t('limits.perMinute', { limit: format.count(given) })}</span>;
  }
  const numbers = { limit: format.count(effective), given: format.count(given) };
  return (
    <Tooltip label={t('limits.cappedHint')}>
      <span>{t('limits.capped', numbers)}</span>
    </Tooltip>
  );
}

const Moment = ({ at }: { readonly at: string }) => (
  <span style={LINE}>
    <RelativeTime at={at} />
  </span>
);

export function KeyLastUsed({ apiKey }: KeyCellProps) {
  const { t } = useTranslation('keys');
  if (apiKey.lastUsedAt !== null) return <Moment at={apiKey.lastUsedAt} />;
  return <Hint component="span">{t('list.never')}</Hint>;
}

/** Calls, and failures and refused requests if there were any. */
export function KeyToday({ apiKey }: KeyCellProps) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const { callsToday, failuresToday, refusedToday } = apiKey;
  return (
    <Stack gap={0}>
      <span>{format.count(callsToday)}</span>
      {failuresToday > 0 && (
        <Text span size="xs" c="var(--outcome-gateway)" style={LINE}>
          {t('list.failed', { count: failuresToday, formatted: format.count(failuresToday) })}
        </Text>
      )}
      {refusedToday > 0 && (
        <Hint component="span" size="xs" style={LINE}>
          {t('list.refused', { count: refusedToday, formatted: format.count(refusedToday) })}
        </Hint>
      )}
    </Stack>
  );
}

export function KeyExpiry({ apiKey }: KeyCellProps) {
  const { t } = useTranslation('keys');
  const end = apiKey.revokedAt ?? apiKey.expiresAt;
  if (end !== null) return <Moment at={end} />;
  return <Hint component="span">{t('list.never')}</Hint>;
}
