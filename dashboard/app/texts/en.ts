import { texts as apis } from '../../apis/texts.en.ts';
import { texts as audit } from '../../audit/texts.en.ts';
import { texts as catalogue } from '../../catalogue/texts.en.ts';
import { texts as connect } from '../../connect/texts.en.ts';
import { texts as home } from '../../home/texts.en.ts';
import { texts as keys } from '../../keys/texts.en.ts';
import { texts as live } from '../../live/texts.en.ts';
import { texts as overview } from '../../overview/texts.en.ts';
import { texts as people } from '../../people/texts.en.ts';
import { texts as playground } from '../../playground/texts.en.ts';
import { texts as providerKeys } from '../../provider-keys/texts.en.ts';
import { texts as shared } from '../../shared/texts.en.ts';
import { texts as signIn } from '../../sign-in/texts.en.ts';

const app = {
  product: 'Tool Gateway',
  problems_one: '{{count}} problem',
  problems_other: '{{count}} problems',
  skipToContent: 'Skip to the content',
  reference: 'API reference',
  showPassword: 'Show or hide the value',
  navigation: {
    label: 'Main',
    overview: 'Overview',
    catalogue: 'Catalogue',
    connect: 'Connect',
    live: 'Live',
    audit: 'Audit log',
    apis: 'APIs',
    settings: 'Settings',
    keys: 'API keys',
    ownKeys: 'Your provider keys',
    providerKeys: 'Provider keys',
    members: 'Members',
    tenants: 'Tenants',
    people: 'People',
    trail: 'Activity',
    account: 'Account',
    open: 'Open the menu',
    close: 'Close the menu',
    home: 'Tool Gateway home',
  },
  tenant: {
    label: 'Tenant',
    choose: 'Choose a tenant',
    all: 'All tenants',
    viewer: 'Viewer',
    admin: 'Admin',
  },
  account: {
    menu: 'Account of {{name}}',
    signIn: 'Sign in',
    signOut: 'Sign out',
    settings: 'Account',
    signedInAs: 'Signed in as {{email}}',
  },
  language: { label: 'Language' },
  colours: { label: 'Theme', light: 'Light', dark: 'Dark', auto: 'System' },
  search: {
    open: 'Search',
    placeholder: 'Search, or paste an ID',
    nothingFits: 'No results for "{{words}}"',
    nothingHint: 'Search for names, email addresses, or IDs that start with aud_, key_ or req_.',
    results_one: '{{count, number}} result',
    results_other: '{{count, number}} results',
    pages: 'Pages',
    tools: 'Tools',
    ids: 'ID',
    openCall: 'Open the call',
    openKey: 'Open the API key',
    openRequest: 'Show the calls of this request',
    actions: 'Actions',
    action: {
      createKey: 'Create an API key',
      registerApi: 'Register an API',
      invite: 'Invite a member',
    },
  },
  sandbox: {
    text: 'Sandbox: the shipped tools answer with made-up data. For real data, start the gateway without --sandbox. APIs that you register are really called.',
  },
  outage: {
    title: 'The gateway does not answer.',
    text: 'What you see may be out of date. The dashboard tries to connect again every few seconds.',
    again: 'Try now',
  },
  refused: {
    member: 'This page needs a tenant, and you belong to none',
    admin: 'Only admins of the tenant can open this page',
    operator: 'Only operators of the gateway can open this page',
    text: 'If you need access, ask one of them.',
  },
  notFound: {
    title: 'Page not found',
    text: 'There is nothing at this address. It may have been deleted, or the link may be wrong.',
    back: 'Go to the start page',
  },
  crash: {
    title: 'This page has failed',
    text: 'Reload it. If it keeps failing, report the message below to the operator.',
    reload: 'Reload',
  },
} as const;

/** All texts in English, by feature. */
export const texts = {
  app,
  shared,
  home,
  connect,
  signIn,
  catalogue,
  playground,
  keys,
  providerKeys,
  people,
  apis,
  audit,
  live,
  overview,
};
