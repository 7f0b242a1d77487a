import { Anchor, Group, NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePerson } from '../../session/session.ts';
import { type Destination, isFor, PAGES, SETTINGS, SETTINGS_ICON } from '../navigation.ts';
import classes from './shell.module.css';

/** The pages of the dashboard, for people who are signed in. */
export function Navigation() {
  const { t } = useTranslation();
  const person = usePerson();
  return (
    <nav aria-label={t('navigation.label')}>
      <Destinations of={PAGES.filter((page) => isFor(page, person))} />
      <NavLink
        component={Link}
        to="/admin/settings"
        activeOptions={{ exact: true }}
        className={classes.link}
        label={t('navigation.settings')}
        leftSection={<SETTINGS_ICON size={18} stroke={1.6} aria-hidden />}
      />
      <div className={classes.group}>
        <Destinations of={SETTINGS.filter((page) => isFor(page, person))} />
      </div>
    </nav>
  );
}

function Destinations({ of }: { readonly of: readonly Destination[] }) {
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
