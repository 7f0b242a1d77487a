import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isInUse, type ProviderKey } from './provider-keys-query.ts';
import type { KeyFormState } from './use-key-form.ts';

/** Saves the value that was typed. */
export function SaveButton({ isSavable, save }: Pick<KeyFormState, 'isSavable' | 'save'>) {
  const { t } = useTranslation('providerKeys');
  return (
    <Button type="submit" disabled={!isSavable} loading={save.isPending}>
      {t('form.save')}
    </Button>
  );
}

type TestButtonProps = Pick<KeyFormState, 'typed' | 'issue' | 'tool' | 'test'> & {
  readonly providerKey: ProviderKey;
};

/** Tests the value that was typed, or else the one in use. */
export function TestButton({ typed, issue, tool, test, providerKey }: TestButtonProps) {
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
