import {
  NativeSelect,
  NumberInput,
  type NumberInputProps,
  SimpleGrid,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { usePerson } from '../session/session.ts';
import type { FieldOf } from '../shared/checked-form.tsx';
import { useFormat } from '../shared/use-format.ts';
import { dateText, EXPIRIES, type Expiry, type KeyFormValues, SCOPES } from './key-form.ts';
import { ToolsField } from './tools-field.tsx';

const MAX_RATE_LIMIT = 1_000_000;
const MAX_DAILY_LIMIT = 1_000_000_000;

export interface KeyFieldsProps {
  readonly form: UseFormReturnType<KeyFormValues>;
  readonly field: FieldOf;
  /** The expiry that a key has already; undefined for a new key. */
  readonly currentExpiry?: string | null;
}

/** Everything that is chosen for a key. */
export function KeyFields({ form, field, currentExpiry }: KeyFieldsProps) {
  const { t } = useTranslation('keys');
  const limit = {
    min: 1,
    allowDecimal: false,
    thousandSeparator: ',',
    clampBehavior: 'strict',
    // Hints of different lengths move no field.
    inputWrapperOrder: ['label', 'input', 'description', 'error'],
  } satisfies NumberInputProps;
  return (
    <Stack>
      <TextInput
        {...form.getInputProps('name')}
        {...field('name')}
        label={t('form.name')}
        placeholder={t('form.namePlaceholder')}
        maxLength={100}
        required
        data-autofocus
      />
      <ExpiryField
        form={form}
        field={field}
        {...(currentExpiry !== undefined && { currentExpiry })}
      />
      {currentExpiry === undefined && <ScopeField form={form} />}
      {form.values.scope === 'none' && (
        <ToolsField
          value={form.values.allowedTools}
          onChange={(allowedTools) => form.setFieldValue('allowedTools', allowedTools)}
        />
      )}
      <Switch
        {...form.getInputProps('searches', { type: 'checkbox' })}
        label={t('form.searches')}
        description={t('form.searchesHint')}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput
          {...form.getInputProps('rateLimit')}
          {...limit}
          max={MAX_RATE_LIMIT}
          label={t('form.rateLimit')}
          description={t('form.rateLimitHint')}
          placeholder={t('form.gatewayLimit')}
        />
        <NumberInput
          {...form.getInputProps('dailyLimit')}
          {...limit}
          max={MAX_DAILY_LIMIT}
          label={t('form.dailyLimit')}
          description={t('form.dailyLimitHint')}
          placeholder={t('form.noLimit')}
        />
      </SimpleGrid>
      <Textarea
        {...form.getInputProps('description')}
        label={t('form.description')}
        maxLength={500}
        autosize
        minRows={1}
        maxRows={4}
      />
    </Stack>
  );
}

function ScopeField({ form }: Pick<KeyFieldsProps, 'form'>) {
  const { t } = useTranslation('keys');
  const isOperator = usePerson()?.isOperator ?? false;
  const choices = SCOPES.filter((scope) => scope !== 'operator' || isOperator);
  return (
    <NativeSelect
      {...form.getInputProps('scope')}
      label={t('scope.label')}
      description={form.values.scope === 'none' ? undefined : t('scope.hint')}
      data={choices.map((value) => ({ value, label: t(`scope.${value}`) }))}
    />
  );
}

function ExpiryField({ form, field, currentExpiry }: KeyFieldsProps) {
  const { t } = useTranslation('keys');
  const format = useFormat();
  const labels: Record<Expiry, string> = {
    keep: currentExpiry
      ? t('expiry.keep', { date: format.date(currentExpiry) })
      : t('expiry.keepNever'),
    '30': t('expiry.days30'),
    '90': t('expiry.days90'),
    '365': t('expiry.year'),
    never: t('expiry.never'),
    date: t('expiry.date'),
  };
  const choices: readonly Expiry[] = currentExpiry === undefined ? EXPIRIES : ['keep', ...EXPIRIES];
  return (
    <SimpleGrid cols={{ base: 1, xs: form.values.expiry === 'date' ? 2 : 1 }}>
      <NativeSelect
        {...form.getInputProps('expiry')}
        label={t('expiry.label')}
        description={form.values.expiry === 'never' ? t('expiry.neverHint') : undefined}
        data={choices.map((value) => ({ value, label: labels[value] }))}
      />
      {form.values.expiry === 'date' && (
        <TextInput
          {...form.getInputProps('date')}
          {...field('date')}
          type="date"
          label={t('expiry.dateLabel')}
          min={dateText(Date.now())}
          required
        />
      )}
    </SimpleGrid>
  );
}
