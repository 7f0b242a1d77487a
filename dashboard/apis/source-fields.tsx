import { SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SourceKind, SourceValues } from './api-form.ts';
import { FileDrop } from './file-drop.tsx';

const KINDS: readonly SourceKind[] = ['address', 'file', 'text'];

export interface SourceFieldsProps {
  readonly values: SourceValues;
  readonly onChange: (values: SourceValues) => void;
}

/** Where a description comes from: an address, a file of this device, or its text. */
export function SourceFields({ values, onChange }: SourceFieldsProps) {
  const { t } = useTranslation('apis');
  const change = (changed: Partial<SourceValues>) => onChange({ ...values, ...changed });
  return (
    <Stack gap="sm">
      <SegmentedControl
        data={KINDS.map((kind) => ({ value: kind, label: t(`form.${kind}`) }))}
        value={values.kind}
        onChange={(kind) => change({ kind: kind as SourceKind })}
        aria-label={t('form.source')}
        fullWidth
      />
      {values.kind === 'address' && (
        <TextInput
          label={t('form.url')}
          description={t('form.urlHint')}
          placeholder="https://api.example.com/openapi.json"
          type="url"
          value={values.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
          required
        />
      )}
      {values.kind === 'file' && (
        <FileDrop file={values.file} onRead={(file) => change({ file })} />
      )}
      {values.kind === 'text' && (
        <Textarea
          label={t('form.raw')}
          value={values.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
          minRows={8}
          maxRows={20}
          autosize
          required
          spellCheck={false}
          ff="monospace"
        />
      )}
      {values.kind !== 'address' && (
        <Text size="xs" c="dimmed">
          JSON, YAML · OpenAPI 3.0–3.2, Swagger 2.0
        </Text>
      )}
    </Stack>
  );
}
