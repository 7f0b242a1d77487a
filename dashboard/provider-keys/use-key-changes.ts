import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../app/tenant-in-use.ts';
import {
  type ProviderKey,
  type ProviderKeyList,
  providerKeysQuery,
  toolCountOf,
} from './provider-keys-query.ts';

/** Puts a changed key into the list at once; everything that may show its tools is loaded again. */
function useShowChange() {
  const queries = useQueryClient();
  return async (changed: ProviderKey): Promise<void> => {
    queries.setQueryData<ProviderKeyList>(
      providerKeysQuery.queryKey,
      (list) =>
        list && {
          ...list,
          keys: list.keys.map((key) => (key.name === changed.name ? changed : key)),
        },
    );
    await queries.invalidateQueries();
  };
}

/** Stores a value for the key. */
export function useSetKey(providerKey: ProviderKey, onSaved: () => void) {
  const { t } = useTranslation('providerKeys');
  const showChange = useShowChange();
  const { name } = providerKey;
  return useMutation({
    mutationFn: (value: string) => callAdmin('POST /provider-keys/:name', { name, value }),
    // Secrets are not kept in the cache of mutations.
    gcTime: 0,
    onSuccess: (changed) => {
      onSaved();
      const isUsed = changed.origin === 'stored';
      notifications.show({
        title: t('form.saved', { name }),
        message: isUsed
          ? t('form.savedText', { count: toolCountOf(changed) })
          : t('form.savedUnused'),
      });
      return showChange(changed);
    },
  });
}

/** Removes the stored value of the key. */
export function useRemoveKey({ name }: ProviderKey) {
  const { t } = useTranslation('providerKeys');
  const showChange = useShowChange();
  return async (): Promise<void> => {
    const changed = await callAdmin('DELETE /provider-keys/:name', { name });
    notifications.show({ message: t('remove.done', { name }) });
    await showChange(changed);
  };
}

export interface TestInput {
  /** Undefined: the value in use. */
  readonly value: string | undefined;
  readonly tool: string | null;
}

/** Tests the key with one real call. */
export function useTestKey({ name }: ProviderKey) {
  const { slug: tenant } = useTenant();
  return useMutation({
    mutationFn: ({ value, tool }: TestInput) =>
      callAdmin('POST /provider-keys/:name/test', {
        name,
        tenant,
        value,
        tool: tool ?? undefined,
      }),
    gcTime: 0,
  });
}
