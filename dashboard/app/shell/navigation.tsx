import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Destination, isFor, PAGES, SETTINGS, SETTINGS_ICON } from '../navigation.ts';
import { usePerson } from '../session.ts';
import classes from './navigation.module.css';

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
