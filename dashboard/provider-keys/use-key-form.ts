import { useState } from 'react';
import type { ProviderKey } from './provider-keys-query.ts';
import { useSetKey, useTestKey } from './use-key-changes.ts';
import { valueIssue } from './value-issue.ts';

/** What the form holds. A value is kept in memory only, until it is saved. */
export type KeyFormState = ReturnType<typeof useKeyForm>;

export function useKeyForm(providerKey: ProviderKey, canStore: boolean) {
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
