import { Anchor, Badge, Group, NavLink, VisuallyHidden } from '@mantine/core';
import {
  IconActivityHeartbeat,
  IconAddressBook,
  IconAdjustmentsHorizontal,
  IconApi,
  IconBook2,
  IconBuilding,
  IconChartHistogram,
  IconHistory,
  IconKey,
  IconListSearch,
  IconLockAccess,
  IconPlugConnected,
  type IconProps,
  IconShieldLock,
  IconUser,
  IconUsers,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerson, useTenantInUse } from '../../session/session.ts';
import { type Problem, useGatewayProblems, useProblems } from '../../shared/problems.tsx';
import type { texts } from '../texts/en.ts';
import classes from './shell.module.css';

/** One page in the navigation and in the search. */
export interface Entry {
  readonly to: string;
  readonly label: Exclude<keyof (typeof texts)['app']['navigation'], `problems_${string}`>;
  readonly icon: ComponentType<IconProps>;
  /** Who may use it: members of the tenant in use, its admins, or operators. By default, all who are signed in. */
  readonly for?: 'member' | 'admin' | 'operator';
}

export type Destination = (typeof PAGES)[number] | (typeof SETTINGS)[number];

export const PAGES = [
  { to: '/admin/overview', label: 'overview', icon: IconChartHistogram },
  { to: '/admin/catalogue', label: 'catalogue', icon: IconBook2 },
  { to: '/admin/connect', label: 'connect', icon: IconPlugConnected },
  { to: '/admin/live', label: 'live', icon: IconActivityHeartbeat, for: 'member' },
  { to: '/admin/audit', label: 'audit', icon: IconListSearch, for: 'member' },
  { to: '/admin/apis', label: 'apis', icon: IconApi, for: 'member' },
] as const satisfies readonly Entry[];

/** The pages below `Settings`. */
export const SETTINGS = [
  { to: '/admin/settings/keys', label: 'keys', icon: IconKey, for: 'member' },
  { to: '/admin/settings/own-keys', label: 'ownKeys', icon: IconLockAccess, for: 'admin' },
  { to: '/admin/settings/members', label: 'members', icon: IconUsers, for: 'member' },
  {
    to: '/admin/settings/provider-keys',
    label: 'providerKeys',
    icon: IconShieldLock,
    for: 'operator',
  },
  { to: '/admin/settings/tenants', label: 'tenants', icon: IconBuilding, for: 'operator' },
  { to: '/admin/settings/people', label: 'people', icon: IconAddressBook, for: 'operator' },
  { to: '/admin/settings/trail', label: 'trail', icon: IconHistory, for: 'admin' },
  { to: '/admin/settings/account', label: 'account', icon: IconUser },
] as const satisfies readonly Entry[];

/** Whether the person may use a page, in the tenant in use. Operators are admins of every tenant. */
export function useMayOpen(): (page: Entry) => boolean {
  const person = usePerson();
  const tenant = useTenantInUse();
  return ({ for: who }) => {
    if (!person) return false;
    if (who === 'operator') return person.isOperator;
    if (who === 'admin') return tenant?.canChange ?? person.isOperator;
    return who !== 'member' || tenant !== null;
  };
}

/** The pages of the dashboard, for people who are signed in. */
export function Navigation() {
  const { t } = useTranslation();
  const mayOpen = useMayOpen();
  const counts = useProblemCounts();
  return (
    <nav aria-label={t('navigation.label')}>
      <Destinations of={PAGES.filter(mayOpen)} counts={counts} />
      <NavLink
        component={Link}
        to="/admin/settings"
        activeOptions={{ exact: true }}
        className={classes.link}
        label={t('navigation.settings')}
        leftSection={<IconAdjustmentsHorizontal size={18} stroke={1.6} aria-hidden />}
      />
      <div className={classes.group}>
        <Destinations of={SETTINGS.filter(mayOpen)} counts={counts} />
      </div>
    </nav>
  );
}

/** How many problems each page shows. */
type ProblemCounts = Readonly<Partial<Record<Entry['label'], number>>>;

function useProblemCounts(): ProblemCounts {
  const ofTenant = useProblems(useTenantInUse()?.slug ?? null);
  const ofGateway = useGatewayProblems().data?.problems ?? [];
  const isOfKey = ({ kind }: Problem) => kind === 'provider_key' || kind === 'quota';
  return {
    overview: ofTenant.length,
    apis: ofTenant.filter(({ kind }) => kind === 'api').length,
    keys: ofTenant.filter(({ kind }) => kind === 'api_key').length,
    ownKeys: ofTenant.filter((problem) => isOfKey(problem) && problem.by === 'admin').length,
    providerKeys: ofGateway.filter(isOfKey).length,
  };
}

function ProblemCount({ count = 0 }: { readonly count: number | undefined }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <Badge size="sm" circle={count < 10} color="red.9">
      <span aria-hidden>{count}</span>
      <VisuallyHidden>{t('problems', { count })}</VisuallyHidden>
    </Badge>
  );
}

interface DestinationsProps {
  readonly of: readonly Destination[];
  readonly counts: ProblemCounts;
}

function Destinations({ of, counts }: DestinationsProps) {
  const { t } = useTranslation();
  return of.map(({ to, label, icon: Icon }) => (
    <NavLink
      key={to}
      component={Link}
      to={to}
      className={classes.link}
      activeProps={{ 'data-active': true, 'aria-current': 'page' }}
      label={t(`navigation.${label}`)}
      leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
      noWrap={false}
      rightSection={<ProblemCount count={counts[label]} />}
    />
  ));
}

/** Where a visitor may want to go; all but the catalogue ask to sign in first. */
const DESTINATIONS = [
  { to: '/admin/catalogue', label: 'catalogue' },
  { to: '/admin/settings/keys', label: 'keys' },
  { to: '/admin/audit', label: 'audit' },
  { to: '/admin/settings', label: 'settings' },
] as const;

/** In the app bar of wide screens. */
export function VisitorLinks() {
  const { t } = useTranslation();
  return (
    <Group component="nav" aria-label={t('navigation.label')} gap="lg" ml="md" visibleFrom="md">
      {DESTINATIONS.map(({ to, label }) => (
        <Anchor key={to} component={Link} to={to} size="sm" c="var(--mantine-color-text)">
          {t(`navigation.${label}`)}
        </Anchor>
      ))}
    </Group>
  );
}

/** In the drawer of narrow screens. */
export function VisitorNavigation() {
  const { t } = useTranslation();
  return (
    <nav aria-label={t('navigation.label')}>
      {DESTINATIONS.map(({ to, label }) => (
        <NavLink
          key={to}
          component={Link}
          to={to}
          className={classes.link}
          label={t(`navigation.${label}`)}
        />
      ))}
    </nav>
  );
}
