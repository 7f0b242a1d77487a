import { Avatar, Badge, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Hint } from '../shared/page.tsx';

interface NameAndEmailProps {
  readonly name: string;
  readonly email: string;
  readonly isProved: boolean;
}

export function NameAndEmail({ name, email, isProved }: NameAndEmailProps) {
  const { t } = useTranslation('people');
  return (
    <Group gap="sm" wrap="nowrap">
      <Avatar name={name} size={32} color="celadon" aria-hidden />
      <div>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        {name !== email && <Hint size="xs">{email}</Hint>}
        {!isProved && (
          <Badge size="sm" color="yellow" variant="light" tt="none" title={t('unprovedText')}>
            {t('unproved')}
          </Badge>
        )}
      </div>
    </Group>
  );
}
