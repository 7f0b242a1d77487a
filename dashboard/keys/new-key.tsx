import { Button, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SecretOnce } from '../shared/secret-once.tsx';
import { Snippets } from './snippets.tsx';

export interface NewKeyProps {
  readonly text: string;
  readonly onDone: () => void;
}

/** The text of a key, once, with what to do next. */
export function NewKey({ text, onDone }: NewKeyProps) {
  const { t } = useTranslation('keys');
  return (
    <Stack>
      <SecretOnce secret={text} label={t('created.label')} />
      <Stack gap="xs">
        <Text fw={600} size="sm" component="h3">
          {t('created.connect')}
        </Text>
        <Snippets keyText={text} />
      </Stack>
      <Group justify="flex-end">
        <Button onClick={onDone}>{t('created.done')}</Button>
      </Group>
    </Stack>
  );
}
