import { ActionIcon, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ApiKey } from './key-queries.ts';

export type KeyAction = 'change' | 'rotate' | 'revoke';

export interface KeyActionsProps {
  readonly apiKey: ApiKey;
  readonly onAction: (action: KeyAction, key: ApiKey) => void;
}

/** What can be done with a key that is not revoked. */
export function KeyActions({ apiKey, onAction }: KeyActionsProps) {
  const { t } = useTranslation('keys');
  if (apiKey.state === 'revoked') return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('actions.label', { name: apiKey.name })}
        >
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconPencil size={16} aria-hidden />}
          onClick={() => onAction('change', apiKey)}
        >
          {t('actions.change')}
        </Menu.Item>
        {apiKey.rotatedTo === null && (
          <Menu.Item
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => onAction('rotate', apiKey)}
          >
            {t('actions.rotate')}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => onAction('revoke', apiKey)}
        >
          {t('actions.revoke')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
