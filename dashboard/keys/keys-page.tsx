import { Button, Stack } from '@mantine/core';
import { IconKey, IconPlus, IconSearchOff } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { HygieneFilters } from './hygiene-filters.tsx';
import type { KeyAction } from './key-actions.tsx';
import { KeyFilters } from './key-filters.tsx';
import { KeyList } from './key-list.tsx';
import type { ApiKey } from './key-queries.ts';
import type { KeySearch } from './key-search.ts';
import { RevokeKey } from './revoke-key.tsx';

// Most visits only look: the forms and the snippets are loaded with the first dialog.
const CreateKey = lazy(() => import('./create-key.tsx').then((it) => ({ default: it.CreateKey })));
const ChangeKey = lazy(() => import('./change-key.tsx').then((it) => ({ default: it.ChangeKey })));
const RotateKey = lazy(() => import('./rotate-key.tsx').then((it) => ({ default: it.RotateKey })));

/** Which dialog is open, and for which key. */
type Open = { readonly action: 'create' } | { readonly action: KeyAction; readonly key: ApiKey };

/** The API keys of a tenant: who has them, what they may do, and how they are used. */
export function KeysPage() {
  const { t } = useTranslation('keys');
  const { slug, canChange } = useTenant();
  const { q, state, concern } = useSearch({ strict: false });
  const search = { q, state, concern } as KeySearch;
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const onAction = useCallback((action: KeyAction, key: ApiKey) => setOpen({ action, key }), []);
  const isFiltered = q !== undefined || state !== undefined || concern !== undefined;
  const filter = (next: KeySearch) =>
    navigate({ to: '/admin/settings/keys', search: next, replace: true });
  const create = () => setOpen({ action: 'create' });
  return (
    <Stack>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          canChange && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={create}>
              {t('create.open')}
            </Button>
          )
        }
      />
      <HygieneFilters
        concern={concern}
        onChange={(next) => filter({ ...search, concern: next } as KeySearch)}
      />
      <KeyFilters key={slug} search={search} onChange={filter} />
      <KeyList
        search={search}
        onAction={canChange ? onAction : undefined}
        empty={<NoKeys isFiltered={isFiltered} onCreate={canChange ? create : undefined} />}
      />
      <Dialogs open={open} onOpen={setOpen} />
    </Stack>
  );
}

interface DialogsProps {
  readonly open: Open | null;
  readonly onOpen: (open: Open | null) => void;
}

function Dialogs({ open, onOpen }: DialogsProps) {
  const [wasOpened, setWasOpened] = useState(false);
  if (open !== null && !wasOpened) setWasOpened(true);
  const close = () => onOpen(null);
  const keyFor = (action: KeyAction) =>
    open !== null && open.action === action ? (open as { key: ApiKey }).key : undefined;
  return (
    <>
      <Suspense>
        {wasOpened && (
          <>
            <CreateKey isOpen={open?.action === 'create'} onClose={close} />
            <ChangeKey
              apiKey={keyFor('change')}
              onClose={close}
              onReload={(key) => onOpen({ action: 'change', key })}
            />
            <RotateKey apiKey={keyFor('rotate')} onClose={close} />
          </>
        )}
      </Suspense>
      <RevokeKey apiKey={keyFor('revoke')} onClose={close} />
    </>
  );
}

interface NoKeysProps {
  readonly isFiltered: boolean;
  readonly onCreate: (() => void) | undefined;
}

function NoKeys({ isFiltered, onCreate }: NoKeysProps) {
  const { t } = useTranslation('keys');
  if (isFiltered) {
    return <EmptyState icon={IconSearchOff} title={t('empty.filtered')} />;
  }
  return (
    <EmptyState
      icon={IconKey}
      title={t('empty.title')}
      text={onCreate ? t('empty.text') : t('empty.askAdmin')}
      action={onCreate && <Button onClick={onCreate}>{t('empty.create')}</Button>}
    />
  );
}
