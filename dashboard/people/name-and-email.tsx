import { Avatar, Group, Text } from '@mantine/core';

interface NameAndEmailProps {
  readonly name: string;
  readonly email: string;
}

export const NameAndEmail = ({ name, email }: NameAndEmailProps) => (
  <Group gap="sm" wrap="nowrap">
    <Avatar name={name} size={32} color="celadon" aria-hidden />
    <div>
      <Text size="sm" fw={500}>
        {name}
      </Text>
      {name !== email && (
        <Text size="xs" c="dimmed">
          {email}
        </Text>
      )}
    </div>
  </Group>
);
