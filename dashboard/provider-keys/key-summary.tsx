import { Badge, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './key-summary.module.css';
import { hostOf, type ProviderKey, toolCountOf } from './provider-keys-query.ts';

const COLORS: Readonly<Record<ProviderKey['origin'], string>> = {
  environment: 'blue',
  stored: 'celadon',
  sandbox: 'violet',
  unreadable: 'red',
  missing: 'gray',
};

/** What a closed row says about a key. */
export function KeySummary({ providerKey }: { readonly providerKey: ProviderKey }) {
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
