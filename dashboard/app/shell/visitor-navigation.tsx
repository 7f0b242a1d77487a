import { Anchor, Group, NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import classes from './navigation.module.css';

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
