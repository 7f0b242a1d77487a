import { Accordion, Badge, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './key-list.module.css';

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
  readonly status: string;
  readonly color: string;
}

/** One row for each key; `#NAME` in the address opens one, so that other pages can lead to it. */
export function KeyList<Key extends { readonly name: string }>({
  keys,
  row,
  panel,
}: KeyListProps<Key>) {
  const { t } = useTranslation('providerKeys');
  const [open, setOpen] = useState<string | null>(nameInAddress);
  useEffect(() => document.getElementById(nameInAddress())?.scrollIntoView(), []);
  const { item, control, label, content } = classes;
  return (
    <section aria-label={t('listLabel')}>
      <Accordion
        value={open}
        onChange={setOpen}
        order={2}
        classNames={{ item, control, label, content }}
      >
        {keys.map((key) => (
          <Accordion.Item key={key.name} value={key.name} id={key.name}>
            <Accordion.Control>
              <Row {...row(key)} />
            </Accordion.Control>
            <Accordion.Panel>{open === key.name && panel(key)}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </section>
  );
}

const nameInAddress = (): string => location.hash.slice(1);

const Row = ({ title, name, tools, status, color }: KeyRow) => (
  <span className={classes.root}>
    <span className={classes.names}>
      <Text span fw={600} size="sm">
        {title}
      </Text>
      {name && (
        <Text span size="xs" c="dimmed" ff="monospace">
          {name}
        </Text>
      )}
    </span>
    <Text span size="sm" c="dimmed" className={classes.tools}>
      {tools}
    </Text>
    <Badge component="span" variant="light" color={color} tt="none" className={classes.badge}>
      {status}
    </Badge>
  </span>
);
