import { Button, FileButton, Group, Text } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../shared/use-format.ts';
import type { ReadFile } from './api-form.ts';
import classes from './file-drop.module.css';

/** What a gateway accepts by default. It refuses what goes beyond its own setting. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

export interface FileDropProps {
  readonly file: ReadFile | null;
  readonly onRead: (file: ReadFile | null) => void;
}

/** Takes a file by drag and drop or by a button, and reads it here. */
export function FileDrop({ file, onRead }: FileDropProps) {
  const { t } = useTranslation('apis');
  const { bytes } = useFormat();
  const [problem, setProblem] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const read = async (chosen: File | null | undefined): Promise<void> => {
    if (!chosen) return;
    const size = bytes(chosen.size);
    if (chosen.size > MAX_FILE_BYTES) {
      onRead(null);
      setProblem(t('form.tooLarge', { size, limit: bytes(MAX_FILE_BYTES) }));
      return;
    }
    const text = await readText(chosen);
    setProblem(text === null ? t('form.notText') : null);
    onRead(text === null ? null : { name: chosen.name, bytes: chosen.size, text });
  };
  return (
    <section
      className={classes.root}
      data-over={isOver || undefined}
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
      <Text size="sm" c="dimmed">
        {t('form.drop')}
      </Text>
      <Group gap="sm" justify="center">
        <FileButton onChange={read} accept=".json,.yaml,.yml,application/json,application/yaml">
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconFileUpload size={16} aria-hidden />}
            >
              {t('form.choose')}
            </Button>
          )}
        </FileButton>
      </Group>
      <Text size="sm" role="status" {...(problem && { c: 'red' })}>
        {problem ?? (file && t('form.chosen', { name: file.name, size: bytes(file.bytes) }))}
      </Text>
    </section>
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
