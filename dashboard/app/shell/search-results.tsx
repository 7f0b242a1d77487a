import { useMantineColorScheme } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconApi,
  IconBolt,
  IconBuilding,
  IconHash,
  IconKey,
  type IconProps,
  IconTool,
  IconUser,
} from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { type NavigateOptions, useRouter } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { ask } from '../../api/call-admin.ts';
import { suggestionsQuery } from '../../catalogue/catalogue-queries.ts';
import { usePerson, useTenantInUse } from '../../session/session.ts';
import { isLanguage, LANGUAGES, useLanguage } from '../../texts/language.ts';
import { useSignOut } from '../sign-out.ts';
import { switchLanguage } from '../texts/start-texts.ts';
import { PAGES, SETTINGS, useMayOpen } from './navigation.tsx';
import { useChooseTenant } from './tenant-chooser.tsx';

/** One thing that the search offers. */
export interface Found {
  /** Unique among all that are found. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly icon: ComponentType<IconProps>;
  readonly open: () => void;
}

export interface FoundGroup {
  readonly label: string;
  readonly found: readonly Found[];
}

const DEBOUNCE_MS = 150;
const MAX_TOOLS = 8;

/** What fits the words, by kind, without empty kinds. Everything that is asked of the gateway waits for a pause in typing. */
export function useFound(words: string): {
  readonly groups: readonly FoundGroup[];
  readonly isPending: boolean;
} {
  const { t } = useTranslation();
  const [asked] = useDebouncedValue(words, DEBOUNCE_MS);
  const ids = useIds(words);
  const pages = usePages(words);
  const actions = useActions(words);
  const things = useThings(asked);
  const tools = useTools(asked);
  const groups = [
    { label: t('search.ids'), found: ids },
    { label: t('search.pages'), found: pages },
    ...things.groups,
    { label: t('search.actions'), found: actions },
    { label: t('search.tools'), found: tools.found },
  ].filter(({ found }) => found.length > 0);
  return { groups, isPending: asked !== words || things.isPending || tools.isPending };
}

/** Opens a page of the tenant in use. */
function useGo(): (to: NavigateOptions) => () => void {
  const router = useRouter();
  return (to) => () => void router.navigate(to);
}

/** What an id that was pasted leads to. */
function useIds(words: string): readonly Found[] {
  const { t } = useTranslation();
  const go = useGo();
  const isSignedIn = usePerson() !== null;
  const kind = /^(aud|key|req)_\w{8,}$/.exec(words)?.[1];
  if (!isSignedIn || kind === undefined) return [];
  const one = (label: string, to: NavigateOptions): Found[] => [
    { id: 'id', label, description: words, icon: IconHash, open: go(to) },
  ];
  if (kind === 'key') {
    return one(t('search.openKey'), { to: '/admin/settings/keys/$key', params: { key: words } });
  }
  // The time of the call is not known.
  if (kind === 'req') {
    const search = { requestId: words, last: 'all' as const };
    return one(t('search.openRequest'), { to: '/admin/audit', search });
  }
  return one(t('search.openCall'), { to: '/admin/audit', search: { record: words } });
}

const fits = (label: string, words: string): boolean =>
  words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => label.toLowerCase().includes(word));

function usePages(words: string): readonly Found[] {
  const { t } = useTranslation();
  const go = useGo();
  const mayOpen = useMayOpen();
  return [...PAGES, ...SETTINGS]
    .filter((page) => mayOpen(page) || page.to === '/admin/catalogue')
    .map(({ to, label, icon }) => ({
      id: to,
      label: t(`navigation.${label}`),
      icon,
      open: go({ to }),
    }))
    .filter(({ label }) => fits(label, words));
}

/** What can be done from everywhere. Theme and language are offered only when they are asked for. */
function useActions(words: string): readonly Found[] {
  const { t } = useTranslation();
  const go = useGo();
  const person = usePerson();
  const canChange = useTenantInUse()?.canChange ?? false;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const language = useLanguage();
  const signOut = useSignOut();
  const changes = [
    ['createKey', go({ to: '/admin/settings/keys', state: { form: 'key' } })],
    ['registerApi', go({ to: '/admin/apis/register' })],
    ['invite', go({ to: '/admin/settings/members', state: { form: 'invitation' } })],
  ] as const;
  const offered: [string, () => void][] = [
    ...(canChange ? changes : []).map(([name, open]): [string, () => void] => [
      t(`search.action.${name}`),
      open,
    ]),
    ...(['light', 'dark', 'auto'] as const)
      .filter((scheme) => words !== '' && scheme !== colorScheme)
      .map((scheme): [string, () => void] => [
        `${t('colours.label')}: ${t(`colours.${scheme}`)}`,
        () => setColorScheme(scheme),
      ]),
    ...Object.entries(LANGUAGES)
      .filter(([code]) => words !== '' && code !== language)
      .map(([code, name]): [string, () => void] => [
        `${t('language.label')}: ${name}`,
        () => isLanguage(code) && void switchLanguage(code),
      ]),
    ...(person ? [[t('account.signOut'), () => signOut.mutate()] as [string, () => void]] : []),
  ];
  return offered
    .filter(([label]) => fits(label, words))
    .map(([label, open]) => ({ id: `action ${label}`, label, icon: IconBolt, open }));
}

const inTenantQuery = (tenant: string, q: string) =>
  queryOptions({
    queryKey: ['found', tenant, q],
    queryFn: ask('GET /tenants/:tenant/found', { tenant, q }),
  });

const inGatewayQuery = (q: string) =>
  queryOptions({ queryKey: ['found', null, q], queryFn: ask('GET /found', { q }) });

/** What the tenant in use has, and for operators what the gateway has. */
function useThings(words: string) {
  const { t } = useTranslation();
  const go = useGo();
  const chooseTenant = useChooseTenant();
  const person = usePerson();
  const tenant = useTenantInUse()?.slug;
  const isOperator = person?.isOperator ?? false;
  const inTenant = useQuery({
    ...inTenantQuery(tenant ?? '', words),
    enabled: tenant !== undefined && words !== '',
  });
  const inGateway = useQuery({ ...inGatewayQuery(words), enabled: isOperator && words !== '' });
  const { keys = [], apis = [], people: members = [] } = inTenant.data ?? {};
  const memberships = (person?.memberships ?? []).map(({ tenantSlug, tenantName }) => ({
    slug: tenantSlug,
    name: tenantName,
  }));
  const tenants = isOperator
    ? (inGateway.data?.tenants ?? [])
    : memberships.filter(({ slug, name }) => words !== '' && fits(`${name} ${slug}`, words));
  const people = isOperator ? (inGateway.data?.people ?? []) : members;
  const peoplePage = isOperator ? '/admin/settings/people' : '/admin/settings/members';
  const groups: FoundGroup[] = [
    {
      label: t('navigation.keys'),
      found: keys.map(({ id, name, prefix }) => ({
        ...{ id, label: name, description: `${prefix}…`, icon: IconKey },
        open: go({ to: '/admin/settings/keys/$key', params: { key: id } }),
      })),
    },
    {
      label: t('navigation.apis'),
      found: apis.map(({ id, name, slug }) => ({
        ...{ id, label: name, description: slug, icon: IconApi },
        open: go({ to: '/admin/apis/$api', params: { api: id } }),
      })),
    },
    {
      label: t('navigation.people'),
      found: people.map(({ id, name, email }) => ({
        ...{ id, label: name || email, description: email, icon: IconUser },
        open: go({ to: peoplePage }),
      })),
    },
    {
      label: t('navigation.tenants'),
      found: tenants.map(({ slug, name }) => ({
        ...{ id: `tenant ${slug}`, label: name, description: slug, icon: IconBuilding },
        open: () => chooseTenant(slug),
      })),
    },
  ];
  return { groups, isPending: inTenant.isLoading || inGateway.isLoading };
}

/** The tools that fit the words best. */
function useTools(words: string) {
  const go = useGo();
  const tenant = useTenantInUse()?.slug ?? null;
  const { data, isFetching } = useQuery({
    ...suggestionsQuery(tenant, words, MAX_TOOLS),
    enabled: words !== '',
    placeholderData: keepPreviousData,
  });
  const found = (words === '' ? [] : (data?.tools ?? [])).map(
    ({ name, title, summary }): Found => ({
      id: `tool ${name}`,
      label: title ?? name,
      description: `${name} · ${summary}`,
      icon: IconTool,
      open: go({ to: '/admin/catalogue/$tool', params: { tool: name } }),
    }),
  );
  return { found, isPending: isFetching };
}
