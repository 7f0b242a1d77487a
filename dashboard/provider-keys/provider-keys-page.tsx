import { Accordion, Alert, Badge, Stack, Text } from '@mantine/core';
import { IconKeyOff, IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../shared/code-block.tsx';
import { EmptyState, ErrorAlert, Hint, PageHeader } from '../shared/page.tsx';
import { CardSkeleton } from '../shared/skeletons.tsx';
import { KeyPanel } from './key-panel.tsx';
import classes from './provider-keys-page.module.css';
import {
  hostOf,
  isInUse,
  type ProviderKey,
  providerKeysQuery,
  toolCountOf,
} from './provider-keys-query.ts';

/** Where operators set the secrets of presets. */
export function ProviderKeysPage() {
  const { t } = useTranslation('providerKeys');
  const { data, error, refetch } = useQuery(providerKeysQuery());
  return (
    <>
      <PageHeader
        title={t('title')}
        description={t('description')}
        actions={
          data &&
          data.keys.length > 0 && (
            <Hint>
              {t('count', { set: data.keys.filter(isInUse).length, all: data.keys.length })}
            </Hint>
          )
        }
      />
      <Stack>
        {error && <ErrorAlert error={error} onRetry={refetch} />}
        {data && !data.canStore && <CannotStore />}
        {!data && !error && <Loading />}
        {data &&
          (data.keys.length === 0 ? (
            <EmptyState icon={IconKeyOff} title={t('empty.title')} text={t('empty.text')} />
          ) : (
            <KeyList keys={data.keys} canStore={data.canStore} />
          ))}
      </Stack>
    </>
  );
}

const COMMAND = 'openssl rand -base64 32';

function CannotStore() {
  const { t } = useTranslation('providerKeys');
  return (
    <Alert color="yellow" icon={<IconLock aria-hidden />} title={t('cannotStore.title')}>
      <Stack gap="sm">
        <Text size="sm" maw="46rem">
          {t('cannotStore.text')}
        </Text>
        <CodeBlock code={COMMAND} label={t('cannotStore.command')} />
      </Stack>
    </Alert>
  );
}

const LOADING_ROWS = ['a', 'b', 'c', 'd', 'e'];

const Loading = () => (
  <Stack gap="xs" aria-busy>
    {LOADING_ROWS.map((row) => (
      <CardSkeleton key={row} />
    ))}
  </Stack>
);

interface KeyListProps {
  readonly keys: readonly ProviderKey[];
  readonly canStore: boolean;
}

/** One row for each key; `#NAME` in the address opens one, so that other pages can lead to it. */
function KeyList({ keys, canStore }: KeyListProps) {
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

const COLORS: Readonly<Record<ProviderKey['origin'], string>> = {
  environment: 'blue',
  stored: 'celadon',
  sandbox: 'violet',
  unreadable: 'red',
  missing: 'gray',
};

/** What a closed row says about a key. */
function KeySummary({ providerKey }: { readonly providerKey: ProviderKey }) {
  const { t } = useTranslation('providerKeys');
  const { name, origin, servers } = providerKey;
  const [only] = servers;
  const title = servers.length === 1 && only ? only.name : (hostOf(providerKey) ?? name);
  return (
    <span className={classes.root}>
      <span className={classes.names}>
        <Text span fw={600} size="sm">
          {title}
        </Text>
        <Text span size="xs" c="dimmed" ff="monospace">
          {name}
        </Text>
      </span>
      <Text span size="sm" c="dimmed" className={classes.tools}>
        {t('tools', { count: toolCountOf(providerKey) })}
        {servers.length > 1 && ` · ${t('datasets', { count: servers.length })}`}
      </Text>
      <Badge
        component="span"
        variant="light"
        color={COLORS[origin]}
        tt="none"
        className={classes.badge}
      >
        {t(`origin.${origin}`)}
      </Badge>
    </span>
  );
}
