import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerson } from '../session.ts';
import { AppBar } from './app-bar.tsx';
import { Navigation } from './navigation.tsx';
import { OutageBanner } from './outage-banner.tsx';
import { Search, useSearchState } from './search.tsx';
import classes from './shell.module.css';
import { VisitorNavigation } from './visitor-navigation.tsx';

/** What surrounds every page: app bar, navigation, search, and the banner when the gateway does not answer. */
export function Shell() {
  const { t } = useTranslation();
  const person = usePerson();
  const search = useSearchState();
  const [isMenuOpen, menu] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page opens.
  useEffect(menu.close, [path]);
  useHotkeys([['Escape', menu.close]]);
  return (
    <>
      <a className={classes.skip} href="#content">
        {t('skipToContent')}
      </a>
      <header className={classes.header}>
        <AppBar isMenuOpen={isMenuOpen} onToggleMenu={menu.toggle} onSearch={search.open} />
      </header>
      <div className={classes.body}>
        <div
          className={classes.navbar}
          id="navigation"
          data-open={isMenuOpen || undefined}
          // Visitors have their links in the app bar, and in this menu on narrow screens.
          data-narrow-only={person === null || undefined}
        >
          {person ? <Navigation /> : <VisitorNavigation />}
        </div>
        <main id="content" className={classes.main} tabIndex={-1}>
          <OutageBanner />
          <div className={classes.page}>
            <Outlet />
          </div>
        </main>
      </div>
      <Search state={search} />
    </>
  );
}
