import { Accordion, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

interface KeyListProps<Key> {
  readonly keys: readonly Key[];
  readonly row: (key: Key) => KeyRow;
  readonly panel: (key: Key) => ReactNode;
}

/** What a closed row says about a key. */
interface KeyRow {
  readonly title: string;
  /** Beside a title that is not the name. */
  readonly name?: string | undefined;
  readonly tools: string;
  readonly badge: ReactNode;
}

/** One row for each key; `#NAME` in the address opens one, so that other pages can lead to it. */
export function KeyList<Key extends { readonly name: string }>({
  keys,
  row,
  panel,
}: KeyListProps<Key>) {
  const { t } = useTranslation('providerKeys');
  const [open, setOpen] = useState<string | null>(nameInAddress);
  // What was entered in a panel outlives its closing.
  const [opened, setOpened] = useState([nameInAddress()]);
  const toggle = (name: string | null): void => {
    setOpen(name);
    if (name !== null) setOpened([...opened, name]);
  };
  useEffect(() => document.getElementById(nameInAddress())?.scrollIntoView(), []);
  return (
    <section aria-label={t('title')}>
      <Accordion value={open} onChange={toggle} order={2} variant="contained">
        {keys.map((key) => (
          <Accordion.Item
            key={key.name}
            value={key.name}
            id={key.name}
            bg="var(--page-raised)"
            // Below the bar of the shell.
            style={{ scrollMarginTop: '5rem' }}
          >
            <Accordion.Control>
              <Row {...row(key)} />
            </Accordion.Control>
            <Accordion.Panel>{opened.includes(key.name) && panel(key)}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </section>
  );
}

const nameInAddress = (): string => location.hash.slice(1);

const Row = ({ title, name, tools, badge }: KeyRow) => (
  <Group component="span" gap="0.15rem 1rem" justify="space-between" pe="xs">
    <Stack component="span" gap={0} miw={0} flex="1 1 16rem">
      <Text span fw={600} size="sm">
        {title}
      </Text>
      {name && (
        <Text span size="xs" c="dimmed" ff="monospace">
          {name}
        </Text>
      )}
    </Stack>
    <Text span size="sm" c="dimmed">
      {tools}
    </Text>
    {badge}
  </Group>
);
