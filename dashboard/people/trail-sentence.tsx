import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AdminAction } from '../../src/access/trail/admin-trail.ts';
import { LinkAnchor } from '../shared/buttons.tsx';
import { useFormat } from '../shared/use-format.ts';
import {
  actorKindOf,
  subjectOf,
  type TrailEntry,
  type TrailValue,
  valuesOf,
} from './trail-values.ts';

interface TrailSentenceProps {
  readonly entry: TrailEntry & { readonly action: AdminAction };
  readonly keyNames: ReadonlyMap<string, string>;
}

/** Cannot be part of a text. */
const PLACE = '\u0000';

/** Who did what to what, with a link to it. */
export function TrailSentence({ entry, keyNames }: TrailSentenceProps) {
  const { t } = useTranslation('people');
  const kind = actorKindOf(entry);
  const name = kind === 'key' ? (keyNames.get(entry.actor) ?? entry.actor) : entry.actorEmail;
  const who = t(`trail.who.${kind}`, { name: name ?? entry.actor });
  const { action, details } = entry;
  const newName = typeof details['name'] === 'string' ? details['name'] : '';
  const isRenamedKey = action === 'key.changed' && newName !== '';
  const key = isRenamedKey ? 'trail.said.key.renamed' : (`trail.said.${action}` as const);
  const [before = '', after = ''] = t(key, { who, what: PLACE, name: newName }).split(PLACE);
  return (
    <Text size="sm">
      {before}
      <Subject entry={entry} label={subjectOf(entry, keyNames)} />
      {after}
    </Text>
  );
}

/** What was changed; a link, where it has a page. */
function Subject({ entry, label }: { readonly entry: TrailEntry; readonly label: string }) {
  const { action, subjectId } = entry;
  const [group] = action.split('.');
  const look = { inherit: true, fw: 550 } as const;
  if (group === 'registration' && action !== 'registration.deleted') {
    return (
      <LinkAnchor to="/admin/apis/$api" params={{ api: subjectId }} {...look}>
        {label}
      </LinkAnchor>
    );
  }
  const to = PAGES[group ?? ''];
  if (!to) return <strong>{label}</strong>;
  return (
    <LinkAnchor to={to} {...look}>
      {label}
    </LinkAnchor>
  );
}

/** The pages on which the subjects of actions are. */
const PAGES: Readonly<
  Record<
    string,
    | '/admin/settings/keys'
    | '/admin/settings/provider-keys'
    | '/admin/settings/own-keys'
    | '/admin/settings/members'
    | '/admin/settings/tenants'
  >
> = {
  key: '/admin/settings/keys',
  provider_key: '/admin/settings/provider-keys',
  own_key: '/admin/settings/own-keys',
  member: '/admin/settings/members',
  invitation: '/admin/settings/members',
  tenant: '/admin/settings/tenants',
};

/** The members of the details, each on a line of its own. */
export function TrailValues({ entry }: { readonly entry: TrailEntry }) {
  const { t } = useTranslation('people');
  const shown = useShownValue();
  return valuesOf(entry).map((value) => (
    <Text key={value.name} size="xs" c="dimmed">
      {t(`trail.member.${value.name as 'role'}`, { defaultValue: value.name })}: {shown(value)}
    </Text>
  ));
}

function useShownValue(): (value: TrailValue) => string {
  const { t } = useTranslation('people');
  const { time } = useFormat();
  return ({ name, kind, value }) => {
    if (kind === 'none') return t('trail.value.none');
    if (kind === 'boolean') return t(value ? 'trail.value.yes' : 'trail.value.no');
    if (kind === 'time') return time(Number(value));
    const isRole =
      (name === 'role' || name === 'before') && (value === 'admin' || value === 'viewer');
    return isRole ? t(`role.${value}`) : String(value);
  };
}
