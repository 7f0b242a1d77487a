import { Accordion } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './key-list.module.css';
import { KeyPanel } from './key-panel.tsx';
import { KeySummary } from './key-summary.tsx';
import { type ProviderKey, toolCountOf } from './provider-keys-query.ts';

export interface KeyListProps {
  readonly keys: readonly ProviderKey[];
  readonly canStore: boolean;
}

/** One row for each key; `#NAME` in the address opens one, so that other pages can lead to it. */
export function KeyList({ keys, canStore }: KeyListProps) {
  const { t } = useTranslation('providerKeys');
  const [open, setOpen] = useState<string | null>(nameInAddress);
  useEffect(() => document.getElementById(nameInAddress())?.scrollIntoView(), []);
  return (
    <section aria-label={t('listLabel')}>
      <Accordion
        value={open}
        onChange={setOpen}
        order={2}
        classNames={{
          item: classes.item,
          control: classes.control,
          label: classes.label,
          content: classes.content,
        }}
      >
        {keys.toSorted(byToolCount).map((key) => (
          <Accordion.Item key={key.name} value={key.name} id={key.name}>
            <Accordion.Control>
              <KeySummary providerKey={key} />
            </Accordion.Control>
            <Accordion.Panel>
              {open === key.name && <KeyPanel providerKey={key} canStore={canStore} />}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </section>
  );
}

const nameInAddress = (): string => location.hash.slice(1);

/** The keys that matter most come first. */
const byToolCount = (a: ProviderKey, b: ProviderKey): number =>
  toolCountOf(b) - toolCountOf(a) || (a.name < b.name ? -1 : 1);
