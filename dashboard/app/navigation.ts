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
  type IconProps,
  IconShieldLock,
  IconUser,
  IconUsers,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { Me } from '../session/session.ts';
import type { texts } from './texts/en.ts';

/** One page in the navigation and in the search. */
interface Entry {
  readonly to: string;
  readonly label: keyof (typeof texts)['app']['navigation'];
  readonly icon: ComponentType<IconProps>;
  /** Who sees it. By default, all people who are signed in. */
  readonly for?: 'operator';
}

export type Destination = (typeof PAGES)[number] | (typeof SETTINGS)[number];

export const PAGES = [
  { to: '/admin/overview', label: 'overview', icon: IconChartHistogram },
  { to: '/admin/catalogue', label: 'catalogue', icon: IconBook2 },
  { to: '/admin/live', label: 'live', icon: IconActivityHeartbeat },
  { to: '/admin/audit', label: 'audit', icon: IconListSearch },
  { to: '/admin/apis', label: 'apis', icon: IconApi },
] as const satisfies readonly Entry[];

/** The pages below `Settings`. */
export const SETTINGS = [
  { to: '/admin/settings/keys', label: 'keys', icon: IconKey },
  { to: '/admin/settings/own-keys', label: 'ownKeys', icon: IconLockAccess },
  { to: '/admin/settings/members', label: 'members', icon: IconUsers },
  {
    to: '/admin/settings/provider-keys',
    label: 'providerKeys',
    icon: IconShieldLock,
    for: 'operator',
  },
  { to: '/admin/settings/tenants', label: 'tenants', icon: IconBuilding, for: 'operator' },
  { to: '/admin/settings/people', label: 'people', icon: IconAddressBook, for: 'operator' },
  { to: '/admin/settings/trail', label: 'trail', icon: IconHistory },
  { to: '/admin/settings/account', label: 'account', icon: IconUser },
] as const satisfies readonly Entry[];

export const SETTINGS_ICON = IconAdjustmentsHorizontal;

export const isFor = ({ for: who }: Entry, person: Me['person'] | null): boolean =>
  person !== null && (who !== 'operator' || person.isOperator);
