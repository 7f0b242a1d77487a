import { Button, Group, PasswordInput, Select, Stack, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { ErrorAlert } from '../shared/page.tsx';
import { useUnsavedGuard } from '../shared/unsaved.tsx';
import { KeyTestResult } from './key-test-result.tsx';
import {
  isInUse,
  MAX_VALUE_LENGTH,
  type ProviderKey,
  toolCountOf,
  valueIssue,
} from './provider-keys-query.ts';

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
            <ValueField
              {...form}
              label={t('form.value')}
              name={`provider-key-${providerKey.name}`}
            />
            <ToolField {...form} providerKey={providerKey} />
          </>
        )}
        <Group gap="xs">
          {servers.length > 0 && (
            <>
              <Button type="submit" disabled={!form.isSavable} loading={save.isPending}>
                {t('form.save')}
              </Button>
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
              providerKey={providerKey}
              isUnsaved={test.variables?.value !== undefined}
            />
          )}
        </div>
      </Stack>
    </form>
  );
}

/** What the form holds. A value is kept in memory only, until it is saved. */
type KeyFormState = ReturnType<typeof useKeyForm>;

function useKeyForm(providerKey: ProviderKey, canStore: boolean) {
  const [value, setValue] = useState('');
  const [tool, setTool] = useState<string | null>(providerKey.testTools[0] ?? null);
  const test = useTestKey(providerKey);
  const save = useSetKey(providerKey, () => {
    setValue('');
    test.reset();
  });
  const typed = value.trim();
  const issue = valueIssue(value);
  const isSavable = typed !== '' && issue === null && canStore;
  return {
    value,
    typed,
    issue,
    tool,
    isSavable,
    save,
    test,
    // A result belongs to the value and the tool that were tested.
    setValue: (next: string) => {
      setValue(next);
      test.reset();
    },
    setTool: (next: string | null) => {
      setTool(next);
      test.reset();
    },
    submit: (event: { preventDefault(): void }) => {
      event.preventDefault();
      if (isSavable) save.mutate(typed);
    },
  };
}

type ValueFieldProps = Pick<KeyFormState, 'value' | 'issue' | 'setValue'> & {
  readonly label: string;
  readonly name: string;
};

/** The masked value, not to be lost unsaved. Browsers must not offer to save it, nor fill in the person's password. */
export function ValueField({ value, issue, setValue, label, name }: ValueFieldProps) {
  const { t } = useTranslation('providerKeys');
  const guard = useUnsavedGuard(value.trim() !== '');
  return (
    <>
      <PasswordInput
        label={label}
        description={t('form.valueDescription')}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
        error={issue && t(`form.${issue}`, { max: MAX_VALUE_LENGTH })}
        name={name}
        autoComplete="new-password"
        spellCheck={false}
      />
      {guard}
    </>
  );
}

type ToolFieldProps = Pick<KeyFormState, 'tool' | 'setTool'> & {
  readonly providerKey: ProviderKey;
};

/** The tool that a test calls. */
function ToolField({ tool, setTool, providerKey }: ToolFieldProps) {
  const { t } = useTranslation('providerKeys');
  const tenant = useTenant();
  if (providerKey.testTools.length === 0) return null;
  return (
    <Select
      label={t('form.tool')}
      description={t('form.toolDescription', { tenant: tenant.name })}
      data={providerKey.testTools.map((name) => ({
        value: name,
        label: labelOf(providerKey, name),
      }))}
      value={tool}
      onChange={setTool}
      searchable
      allowDeselect={false}
    />
  );
}

function labelOf({ servers }: ProviderKey, name: string): string {
  const title = servers.flatMap(({ tools }) => tools).find((tool) => tool.name === name)?.title;
  return title ? `${name} — ${title}` : name;
}

type TestButtonProps = Pick<KeyFormState, 'typed' | 'issue' | 'tool' | 'test'> & {
  readonly providerKey: ProviderKey;
};

/** Tests the value that was typed, or else the one in use. */
function TestButton({ typed, issue, tool, test, providerKey }: TestButtonProps) {
  const { t } = useTranslation('providerKeys');
  const isUsed = isInUse(providerKey);
  const hasValue = typed !== '' || isUsed;
  const label = typed !== '' ? 'form.testValue' : isUsed ? 'form.testInUse' : 'form.test';
  return (
    <Button
      variant="default"
      disabled={tool === null || issue !== null || !hasValue}
      loading={test.isPending}
      onClick={() => test.mutate({ value: typed === '' ? undefined : typed, tool })}
    >
      {t(label)}
    </Button>
  );
}

/** Removes the stored value, after a confirmation. */
function RemoveKey({ providerKey }: { readonly providerKey: ProviderKey }) {
  const { t } = useTranslation('providerKeys');
  const { name, origin } = providerKey;
  return (
    <RemoveButton name={name} remove={() => callAdmin('DELETE /provider-keys/:name', { name })}>
      {origin === 'environment'
        ? t('remove.unused')
        : t('remove.text', { count: toolCountOf(providerKey) })}
    </RemoveButton>
  );
}

interface Removal {
  readonly name: string;
  readonly remove: () => Promise<unknown>;
  /** What follows from it. */
  readonly children: ReactNode;
}

/** Asks before a key is removed. Everything that may show its tools is loaded again. */
export function RemoveButton({ name, remove, children }: Removal) {
  const { t } = useTranslation('providerKeys');
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const confirm = async (): Promise<void> => {
    await remove();
    notifications.show({ message: t('remove.done', { name }) });
    await queries.invalidateQueries();
  };
  return (
    <>
      <Button variant="subtle" color="red" onClick={open}>
        {t('form.remove')}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={close}
        title={t('remove.title', { name })}
        action={t('form.remove')}
        onConfirm={confirm}
        isDangerous
      >
        {children}
      </ConfirmDialog>
    </>
  );
}

/** Stores a value for the key. */
function useSetKey({ name }: ProviderKey, onSaved: () => void) {
  const { t } = useTranslation('providerKeys');
  const queries = useQueryClient();
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
      return queries.invalidateQueries();
    },
  });
}

interface TestInput {
  /** Undefined: the value in use. */
  readonly value: string | undefined;
  readonly tool: string | null;
}

/** Tests the key with one real call. */
function useTestKey({ name }: ProviderKey) {
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ value, tool }: TestInput) =>
      callAdmin('POST /provider-keys/:name/test', { name, tenant, value, tool: tool ?? undefined }),
    gcTime: 0,
    // What the provider said of the key in use is its state at once.
    onSuccess: () => queries.invalidateQueries(),
  });
}
