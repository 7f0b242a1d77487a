import { PasswordInput, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import type { ProviderKey } from './provider-keys-query.ts';
import type { KeyFormState } from './use-key-form.ts';
import { MAX_VALUE_LENGTH } from './value-issue.ts';

type FieldProps<Name extends keyof KeyFormState> = Pick<KeyFormState, Name> & {
  readonly providerKey: ProviderKey;
};

/** The masked value. Browsers must not offer to save it, nor fill in the person's password. */
export function ValueField(props: FieldProps<'value' | 'issue' | 'setValue'>) {
  const { t } = useTranslation('providerKeys');
  const { value, issue, setValue, providerKey } = props;
  return (
    <PasswordInput
      label={t('form.value')}
      description={t('form.valueDescription')}
      value={value}
      onChange={(event) => setValue(event.currentTarget.value)}
      error={issue && t(`form.${issue}`, { max: MAX_VALUE_LENGTH })}
      name={`provider-key-${providerKey.name}`}
      autoComplete="new-password"
      spellCheck={false}
    />
  );
}

/** The tool that a test calls. */
export function ToolField(props: FieldProps<'tool' | 'setTool'>) {
  const { t } = useTranslation('providerKeys');
  const tenant = useTenant();
  const { tool, setTool, providerKey } = props;
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
