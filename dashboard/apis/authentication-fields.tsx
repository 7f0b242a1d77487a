import { Group, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { FieldOf } from '../shared/checked-form.tsx';
import type { AuthenticationValues, AuthType } from './api-form.ts';

const TYPES: readonly AuthType[] = [
  'none',
  'bearer',
  'basic',
  'api_key',
  'provider_key',
  'oauth2_client_credentials',
];
const PLACES: readonly AuthenticationValues['in'][] = ['header', 'query', 'cookie'];

export interface AuthenticationFieldsProps {
  readonly values: AuthenticationValues;
  readonly onChange: (values: AuthenticationValues) => void;
  /** Of the checked form around them. */
  readonly field?: FieldOf;
}

const unchecked: FieldOf = (name) => ({ name, error: null });

/** The members of every kind of authentication. What is typed stays in this page. */
export function AuthenticationFields(props: AuthenticationFieldsProps) {
  const { values, onChange, field = unchecked } = props;
  const { t } = useTranslation('apis');
  const change = (changed: Partial<AuthenticationValues>) => onChange({ ...values, ...changed });
  return (
    <Stack gap="sm">
      <Select
        label={t('auth.type')}
        description={values.type === 'none' ? undefined : t('auth.hint')}
        data={TYPES.map((type) => ({ value: type, label: t(`auth.${type}`) }))}
        value={values.type}
        onChange={(type) => type && change({ type: type as AuthType })}
        allowDeselect={false}
      />
      <TypeFields values={values} change={change} checked={field} />
    </Stack>
  );
}

interface TypeFieldsProps {
  readonly values: AuthenticationValues;
  readonly change: (changed: Partial<AuthenticationValues>) => void;
  readonly checked: FieldOf;
}

type TextName = Exclude<keyof AuthenticationValues, 'type' | 'in'>;

function TypeFields({ values, change, checked }: TypeFieldsProps) {
  const { t } = useTranslation('apis');
  const field = (name: TextName) => ({
    ...checked(name),
    label: t(`auth.${name}`),
    value: values[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
      change({ [name]: event.currentTarget.value }),
    autoComplete: 'off',
  });
  // `new-password` keeps browsers from offering the password of this page.
  const secret = (name: TextName) => ({ ...field(name), autoComplete: 'new-password' });
  switch (values.type) {
    case 'none':
      return null;
    case 'bearer':
      return <PasswordInput {...secret('token')} required />;
    case 'basic':
      return (
        <Group grow align="start">
          <TextInput {...field('username')} />
          <PasswordInput {...secret('password')} />
        </Group>
      );
    case 'api_key':
      return (
        <>
          <Group grow align="start">
            <Select
              label={t('auth.in')}
              data={PLACES.map((place) => ({ value: place, label: t(`auth.${place}`) }))}
              value={values.in}
              onChange={(place) => place && change({ in: place as AuthenticationValues['in'] })}
              allowDeselect={false}
            />
            <TextInput {...field('keyName')} required />
          </Group>
          <PasswordInput {...secret('token')} label={t('auth.key')} required />
        </>
      );
    case 'provider_key':
      return <TextInput {...field('providerKey')} required />;
    case 'oauth2_client_credentials':
      return (
        <>
          <TextInput {...field('tokenUrl')} type="url" required />
          <Group grow align="start">
            <TextInput {...field('clientId')} required />
            <PasswordInput {...secret('clientSecret')} required />
          </Group>
          <TextInput {...field('scope')} />
        </>
      );
  }
}
