import { Alert, Stack, Title } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/call-admin.ts';
import { useTenantInUse } from '../session/session.ts';
import { LinkButton } from '../shared/buttons.tsx';
import { ClientTabs, ConnectWays, Way } from '../shared/client-tabs.tsx';
import { CodeBlock } from '../shared/code-block.tsx';
import { Hint, PageHeader, Panel } from '../shared/page.tsx';
import { FirstCalls } from './first-calls.tsx';

type Connect = AdminAnswer<'GET /connect'>;

/** How a host or a program is connected: the address, each client's way, and a mark when its first call arrives. */
export function ConnectPage() {
  const { t } = useTranslation('connect');
  const tenant = useTenantInUse();
  return (
    <>
      <PageHeader title={t('page.title')} description={t('page.description')} />
      <Stack gap="lg" maw="56rem">
        <ConnectWays height="40rem">
          {(connect) => (
            <>
              <Panel
                title={t('page.address')}
                description={t(connect.canSignIn ? 'page.addressText' : 'page.addressOnly')}
              >
                <CodeBlock label={t('page.addressLabel')} code={connect.address} />
                {!connect.canSignIn && <Alert color="yellow">{t('page.noSignIn')}</Alert>}
              </Panel>
              <Panel title={t('page.clients')}>
                <ClientTabs clients={inOrder(connect.clients)}>
                  {(client) => <Ways connect={connect} client={client} />}
                </ClientTabs>
              </Panel>
            </>
          )}
        </ConnectWays>
        {tenant ? (
          <FirstCalls key={tenant.slug} tenant={tenant.slug} />
        ) : (
          <Alert color="yellow">{t('noTenant')}</Alert>
        )}
      </Stack>
    </>
  );
}

/** The hosts that most people use come first, and libraries after all of them. */
const FIRST = ['claude-ai', 'claude-desktop', 'chatgpt', 'claude-code', 'cursor', 'vscode'];

const inOrder = (clients: Connect['clients']): Connect['clients'] =>
  clients.toSorted((a, b) => rankOf(a) - rankOf(b));

const rankOf = ({ name, signIn }: Connect['clients'][number]): number => {
  const at = FIRST.indexOf(name);
  if (at >= 0) return at;
  return FIRST.length + (signIn ? 0 : 1);
};

interface WaysProps {
  readonly connect: Connect;
  readonly client: Connect['clients'][number];
}

/** The ways of one client: a sign-in, which needs no key, before a key. */
function Ways({ connect, client: { title, signIn, withKey } }: WaysProps) {
  const { t } = useTranslation('connect');
  const canSignIn = connect.canSignIn && signIn !== null;
  return (
    <Stack gap="lg">
      {canSignIn && (
        <Stack component="section" gap="xs">
          <Title order={3}>{t('page.signIn')}</Title>
          <Way title={title} way={signIn} />
          <Hint>{t('page.signInThen')}</Hint>
        </Stack>
      )}
      {withKey && (
        <Stack component="section" gap="xs">
          <Title order={3}>{t(canSignIn ? 'page.orKey' : 'page.key')}</Title>
          <Way title={title} way={withKey} />
          <KeyHint place={connect.keyPlace} />
        </Stack>
      )}
      {!canSignIn && !withKey && <Alert color="yellow">{t('page.signInOnly')}</Alert>}
    </Stack>
  );
}

/** Where the key of a snippet comes from. It is shown once, so this page never has it. */
function KeyHint({ place }: { readonly place: string }) {
  const { t } = useTranslation('connect');
  const canCreate = useTenantInUse()?.canChange ?? false;
  return (
    <Stack gap="xs" align="flex-start">
      <Hint>{t(canCreate ? 'page.replaceKey' : 'page.askForKey', { place })}</Hint>
      {canCreate && (
        <LinkButton
          to="/admin/settings/keys"
          size="xs"
          variant="default"
          leftSection={<IconKey size={16} aria-hidden />}
        >
          {t('page.createKey')}
        </LinkButton>
      )}
    </Stack>
  );
}
