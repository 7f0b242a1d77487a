import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { homeQuery, usePerson } from '../../session/session.ts';
import { EmptyState, PageHeader } from '../../shared/page.tsx';
import { checkAgain, useOutage } from '../outage.ts';
import { AppBar, PlainAppBar } from './app-bar.tsx';
import {
  type Destination,
  Navigation,
  PAGES,
  SETTINGS,
  useMayOpen,
  VisitorNavigation,
} from './navigation.tsx';
import classes from './shell.module.css';

/** What surrounds every page: app bar, navigation, search, and the banner when the gateway does not answer. */
export function Shell() {
  const { t } = useTranslation();
  const person = usePerson();
  const [isSearching, search] = useDisclosure(false);
  const [wasSearched, setWasSearched] = useState(false);
  if (isSearching && !wasSearched) setWasSearched(true);
  const [isMenuOpen, menu] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when another page opens.
  useEffect(menu.close, [path]);
  useHotkeys([['Escape', menu.close]]);
  useHotkeys([['mod+K', search.open]], []);
  const isPlain = path.startsWith('/admin/connect/');
  return (
    <>
      <a className={classes.skip} href="#content">
        {t('skipToContent')}
      </a>
      <header className={classes.header}>
        {isPlain ? (
          <PlainAppBar />
        ) : (
          <AppBar isMenuOpen={isMenuOpen} onToggleMenu={menu.toggle} onSearch={search.open} />
        )}
      </header>
      <div className={classes.body}>
        {!isPlain && (
          <div
            className={classes.navbar}
            id="navigation"
            data-open={isMenuOpen || undefined}
            // Visitors have their links in the app bar, and in this menu on narrow screens.
            data-narrow-only={person === null || undefined}
          >
            {person ? <Navigation /> : <VisitorNavigation />}
          </div>
        )}
        <div className={classes.column}>
          <main id="content" className={classes.main} tabIndex={-1}>
            <SandboxBar />
            <OutageBanner />
            <div className={classes.page}>
              <Page path={path} />
            </div>
          </main>
          {!isPlain && <Footer />}
        </div>
      </div>
      {/* Loaded when it is first opened. */}
      <Suspense>
        {wasSearched && <SearchDialog isOpen={isSearching} onClose={search.close} />}
      </Suspense>
    </>
  );
}

/** The page of an address, or what says who may use it. */
function Page({ path }: { readonly path: string }) {
  const mayOpen = useMayOpen();
  const isSignedIn = usePerson() !== null;
  const entry = [...PAGES, ...SETTINGS].find(({ to }) => path === to || path.startsWith(`${to}/`));
  return entry && isSignedIn && !mayOpen(entry) ? <RefusedPage entry={entry} /> : <Outlet />;
}

function RefusedPage({ entry }: { readonly entry: Destination }) {
  const { t } = useTranslation();
  const { label, icon } = entry;
  const who = 'for' in entry ? entry.for : 'member';
  return (
    <>
      <PageHeader title={t(`navigation.${label}`)} />
      <EmptyState icon={icon} title={t(`refused.${who}`)} text={t('refused.text')} />
    </>
  );
}

const SearchDialog = lazy(() => import('./search-dialog.tsx'));

function Footer() {
  const { t } = useTranslation();
  const home = useQuery(homeQuery);
  return (
    <Group component="footer" className={classes.footer} gap="lg" py="md">
      <Text size="sm" c="dimmed">
        {t('product')} {home.data?.version}
      </Text>
      <Anchor href="/docs/" size="sm">
        {t('reference')}
      </Anchor>
      <Anchor href="/openapi.json" size="sm">
        OpenAPI
      </Anchor>
    </Group>
  );
}

/** Over every page, so that no made-up figure is taken for a real one. */
function SandboxBar() {
  const { t } = useTranslation();
  if (!useQuery(homeQuery).data?.isSandbox) return null;
  return (
    <Text
      role="note"
      size="sm"
      maw="80rem"
      mx="auto"
      mb="md"
      px="sm"
      py={6}
      bd="1px dashed var(--page-line)"
      bdrs="md"
    >
      {t('sandbox.text')}
    </Text>
  );
}

/** Says that the gateway does not answer. When it answers again, everything on the page is loaded again. */
function OutageBanner() {
  const { t } = useTranslation();
  const isOut = useOutage();
  useRefetchAfter(isOut);
  if (!isOut) return null;
  return (
    <Alert
      maw="80rem"
      mx="auto"
      mb="md"
      color="orange"
      icon={<IconPlugConnectedX aria-hidden />}
      title={t('outage.title')}
      role="alert"
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm">{t('outage.text')}</Text>
        <Button size="xs" variant="default" onClick={checkAgain}>
          {t('outage.again')}
        </Button>
      </Group>
    </Alert>
  );
}

function useRefetchAfter(isOut: boolean): void {
  const queries = useQueryClient();
  const wasOut = useRef(false);
  useEffect(() => {
    if (wasOut.current && !isOut) void queries.invalidateQueries();
    wasOut.current = isOut;
  }, [isOut, queries]);
}
