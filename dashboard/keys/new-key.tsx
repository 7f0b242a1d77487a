import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ClientTabs, ConnectWays, Way } from '../shared/client-tabs.tsx';
import { SecretOnce } from '../shared/secret-once.tsx';

/** The text of a key, once, with what to do next: every client that takes one, ready to copy. */
export function NewKey({ text, onDone }: { readonly text: string; readonly onDone: () => void }) {
  const { t } = useTranslation('keys');
  return (
    <SecretOnce secret={text} kind="key" label={t('page.title')} onSaved={onDone}>
      <Stack gap="xs">
        <Text fw={600} size="sm" component="h3">
          {t('created.connect')}
        </Text>
        <ConnectWays>
          {({ keyPlace, clients }) => (
            <ClientTabs clients={clients.filter(({ withKey }) => withKey)}>
              {({ title, withKey }) =>
                withKey && (
                  <Way
                    title={title}
                    way={withKey}
                    fill={(snippet) => snippet.replaceAll(keyPlace, () => text)}
                  />
                )
              }
            </ClientTabs>
          )}
        </ConnectWays>
      </Stack>
    </SecretOnce>
  );
}
