import { Group, Stack, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { SaveButton, TestButton } from './key-buttons.tsx';
import { ToolField, ValueField } from './key-fields.tsx';
import { KeyTestResult } from './key-test-result.tsx';
import type { ProviderKey } from './provider-keys-query.ts';
import { RemoveKey } from './remove-key.tsx';
import { useKeyForm } from './use-key-form.ts';

export interface KeyFormProps {
  readonly providerKey: ProviderKey;
  readonly canStore: boolean;
}

/** Sets a key, and tests one: the value that was typed, or the one in use. A key that no tool needs is only removed. */
export function KeyForm({ providerKey, canStore }: KeyFormProps) {
  const { t } = useTranslation('providerKeys');
  const { isStored, servers } = providerKey;
  const form = useKeyForm(providerKey, canStore);
  const { save, test } = form;
  return (
    <form onSubmit={form.submit}>
      <Stack gap="sm">
        {servers.length > 0 && (
          <>
            <Title order={3}>{t(isStored ? 'form.replace' : 'form.title')}</Title>
            <ValueField {...form} providerKey={providerKey} />
            <ToolField {...form} providerKey={providerKey} />
          </>
        )}
        <Group gap="xs">
          {servers.length > 0 && (
            <>
              <SaveButton {...form} />
              <TestButton {...form} providerKey={providerKey} />
            </>
          )}
          {isStored && <RemoveKey providerKey={providerKey} />}
        </Group>
        {save.error && <ErrorAlert error={save.error} />}
        <div aria-live="polite">
          {test.error && <ErrorAlert error={test.error} />}
          {test.data && (
            <KeyTestResult
              test={test.data}
              servers={servers}
              isUnsaved={test.variables?.value !== undefined}
            />
          )}
        </div>
      </Stack>
    </form>
  );
}
