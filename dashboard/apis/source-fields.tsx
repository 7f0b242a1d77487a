import {
  Button,
  FileButton,
  Group,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { icon } from '../shared/buttons.tsx';
import type { FieldOf } from '../shared/checked-form.tsx';
import { Hint } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { ReadFile, SourceKind, SourceValues } from './api-form.ts';

const KINDS: readonly SourceKind[] = ['address', 'file', 'text'];

export interface SourceFieldsProps {
  readonly values: SourceValues;
  readonly onChange: (values: SourceValues) => void;
  /** Of the checked form around them. */
  readonly field: FieldOf;
}

/** What no field of the browser knows to be missing: a file may also be dropped. */
export const missingSource = ({ kind, file }: SourceValues): readonly string[] =>
  kind === 'file' && !file ? ['file'] : [];

/** Where a description comes from: an address, a file of this device, or its text. */
export function SourceFields({ values, onChange, field }: SourceFieldsProps) {
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
          {...field('url')}
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
        <FileDrop {...field('file')} file={values.file} onRead={(file) => change({ file })} />
      )}
      {values.kind === 'text' && (
        <Textarea
          {...field('text')}
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
        <Hint size="xs">JSON, YAML · OpenAPI 3.0–3.2, Swagger 2.0</Hint>
      )}
    </Stack>
  );
}

/** What a gateway accepts by default. It refuses what goes beyond its own setting. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

interface FileDropProps extends Partial<ReturnType<FieldOf>> {
  readonly file: ReadFile | null;
  readonly onRead: (file: ReadFile | null) => void;
  /** Which files are meant, and what is said of one that is not text. */
  readonly words?: { readonly drop: string; readonly notText: string };
  readonly accept?: string;
}

const JSON_OR_YAML = '.json,.yaml,.yml,application/json,application/yaml';

/** Takes a file by drag and drop or by a button, and reads it here. */
export function FileDrop(props: FileDropProps) {
  const { file, onRead, name, error, words, accept = JSON_OR_YAML } = props;
  const { t } = useTranslation('apis');
  const { drop, notText } = words ?? { drop: t('form.drop'), notText: t('form.notText') };
  const { bytes } = useFormat();
  const [problem, setProblem] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const wrong = problem ?? (file ? null : error && t('form.needSource'));
  const read = async (chosen: File | null | undefined): Promise<void> => {
    if (!chosen) return;
    const size = bytes(chosen.size);
    if (chosen.size > MAX_FILE_BYTES) {
      onRead(null);
      setProblem(t('form.tooLarge', { size, limit: bytes(MAX_FILE_BYTES) }));
      return;
    }
    const text = await readText(chosen);
    setProblem(text === null ? notText : null);
    onRead(text === null ? null : { name: chosen.name, bytes: chosen.size, text });
  };
  return (
    <Stack
      component="section"
      gap="sm"
      p="lg"
      ta="center"
      bd={`1px dashed ${isOver ? 'var(--mantine-primary-color-filled)' : 'var(--mantine-color-default-border)'}`}
      bg={isOver ? 'var(--mantine-primary-color-light)' : 'var(--page-sunken)'}
      bdrs="md"
      aria-label={t('form.file')}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void read(event.dataTransfer.files.item(0));
      }}
    >
      <Hint>{drop}</Hint>
      <Group gap="sm" justify="center">
        <FileButton onChange={read} accept={accept}>
          {(props) => (
            <Button {...props} name={name} variant="default" leftSection={icon(IconFileUpload)}>
              {t('form.choose')}
            </Button>
          )}
        </FileButton>
      </Group>
      <Text
        size="sm"
        role={wrong ? 'alert' : 'status'}
        {...(wrong && { c: 'var(--mantine-color-error)' })}
      >
        {wrong ?? (file && t('form.chosen', { name: file.name, size: bytes(file.bytes) }))}
      </Text>
    </Stack>
  );
}

/** Null for what is not UTF-8. */
async function readText(file: File): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}
