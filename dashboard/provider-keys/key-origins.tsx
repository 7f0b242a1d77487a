import { Badge, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { offerUndo } from '../shared/offer-undo.tsx';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import { originOf, type TenantKey, tenantKeysQuery } from './provider-keys-query.ts';

interface Shown {
  readonly tenantKey: TenantKey;
}

/** Where registered APIs may send the key of the tenant, besides the hosts of presets, and where they wait to be allowed. */
export function KeyOrigins({ tenantKey }: Shown) {
  const { t } = useTranslation('providerKeys');
  const { canChange } = useTenant();
  const [asked, setAsked] = useState<string | null>(null);
  const change = useChange(tenantKey);
  const withdraw = useWithdraw(tenantKey, change.mutate);
  const { name, origins, waiting } = tenantKey;
  return (
    <Stack gap="xs" maw="46rem">
      <Text size="sm" fw={600}>
        {t('origins.title')}
      </Text>
      <Hint>{t('origins.description')}</Hint>
      {waiting.map((origin) => (
        <Group key={origin} gap="xs">
          <Code>{origin}</Code>
          <Badge color="yellow" variant="light" tt="none">
            {t('origins.waits')}
          </Badge>
          {canChange && (
            <Button size="compact-sm" onClick={() => setAsked(origin)}>
              {t('origins.allow')}
            </Button>
          )}
        </Group>
      ))}
      {origins.map((origin) => (
        <Group key={origin} gap="xs">
          <Code>{origin}</Code>
          {canChange && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              loading={change.isPending}
              onClick={() => withdraw(origin)}
            >
              {t('origins.withdraw')}
            </Button>
          )}
        </Group>
      ))}
      {change.error && <ErrorAlert error={change.error} />}
      {canChange && <OtherOrigin onAsk={setAsked} />}
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={t('origins.question')}
        action={t('origins.allow')}
        onConfirm={() => change.mutateAsync([...origins, ...(asked ? [asked] : [])])}
        isDangerous
      >
        {asked && t('origins.consequence', { name, origin: asked })}
      </ConfirmDialog>
    </Stack>
  );
}

/** An origin where no API waits yet, as before the test of a dataset. */
function OtherOrigin({ onAsk }: { readonly onAsk: (origin: string) => void }) {
  const { t } = useTranslation('providerKeys');
  const [text, setText] = useState('');
  const [isWrong, setWrong] = useState(false);
  const submit = (event: { preventDefault(): void }) => {
    event.preventDefault();
    const origin = originOf(text);
    setWrong(origin === null);
    if (origin === null) return;
    onAsk(origin);
    setText('');
  };
  return (
    <form onSubmit={submit} noValidate>
      <Group align="start" gap="xs">
        <TextInput
          label={t('origins.other')}
          placeholder="https://api.example.com"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setWrong(false);
          }}
          error={isWrong && t('origins.invalid')}
          autoComplete="off"
          spellCheck={false}
          flex={1}
          miw="14rem"
        />
        <Button type="submit" variant="default" mt="1.55rem">
          {t('origins.allow')}
        </Button>
      </Group>
    </form>
  );
}

/** Withdraws an origin at once, and offers to allow it again, beside those that are allowed by then. */
function useWithdraw({ name, origins }: TenantKey, change: ReturnType<typeof useChange>['mutate']) {
  const { t } = useTranslation('providerKeys');
  const { slug } = useTenant();
  const queries = useQueryClient();
  const allowAgain = async (origin: string): Promise<void> => {
    const { providerKeys } = await queries.fetchQuery(tenantKeysQuery(slug));
    const current = providerKeys.find((key) => key.name === name)?.origins ?? [];
    change([...new Set([...current, origin])]);
  };
  return (origin: string): void =>
    change(
      origins.filter((each) => each !== origin),
      {
        onSuccess: () => offerUndo(t('origins.withdrawn', { origin }), () => allowAgain(origin)),
      },
    );
}

function useChange({ name }: TenantKey) {
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (origins: readonly string[]) =>
      callAdmin('POST /tenants/:tenant/provider-keys/:name/origins', { tenant, name, origins }),
    onSuccess: () => queries.invalidateQueries(),
  });
}
