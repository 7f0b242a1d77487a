import { Button, Group, Input, MultiSelect, Skeleton, TextInput } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { TagsInput } from './argument-field.tsx';
import classes from './playground.module.css';
import { endsIn, MAX_RANGED, placeIn, valuesOf, varied, withinPlace } from './ranges.ts';
import type { Field } from './read-fields.ts';
import type { ToolDetails } from './run-tool.ts';

type RangeForm = ToolDetails['rangeForms'][string];

interface RangeFieldProps {
  readonly field: Field;
  readonly form: RangeForm;
  /** The entries of `_over`. */
  readonly over: readonly string[];
  readonly onChange: (over: string[]) => void;
  /** What is entered while the argument does not vary. */
  readonly single: string;
  readonly error: ReactNode;
  /** The input for one value. */
  readonly children: ReactNode;
}

/** An argument that takes one value, or a range of them. */
export function RangeField({ children, single, ...props }: RangeFieldProps) {
  const { field, form, over, onChange } = props;
  const { t } = useTranslation('playground');
  const values = valuesOf(over, field.name);
  const isOn = values !== undefined;
  const first = form === 'range' ? `${single}..` : '';
  return (
    <div className={classes.rangeField}>
      {isOn ? (
        <Suspense fallback={<Skeleton height={60} />}>
          <RangeInputs {...props} values={values} />
        </Suspense>
      ) : (
        children
      )}
      <Button
        className={classes.range}
        size="compact-xs"
        variant={isOn ? 'light' : 'subtle'}
        {...(!isOn && { color: 'gray' })}
        aria-pressed={isOn}
        aria-label={t('range.of', { name: field.name })}
        disabled={!isOn && over.length >= MAX_RANGED}
        onClick={() => onChange(varied(over, field.name, isOn ? null : first))}
      >
        {t('range.title')}
      </Button>
    </div>
  );
}

interface RangeInputsProps extends Omit<RangeFieldProps, 'children' | 'single'> {
  /** As `_over` has them. */
  readonly values: string;
}

function RangeInputs({ field, form, over, values, error, onChange }: RangeInputsProps) {
  const { t } = useTranslation('playground');
  const { name, description, choices, kind, placeholder } = field;
  const change = (next: string) => onChange(varied(over, name, next));
  const shared = { label: name, error, required: true, autoComplete: 'off' };
  if (form === 'within') {
    return (
      <TextInput
        {...shared}
        value={placeIn(values)}
        onChange={({ currentTarget: { value } }) => change(withinPlace(value))}
        placeholder={t('range.place')}
        description={t('range.within')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
      />
    );
  }
  if (form === 'list') {
    const List = choices.length > 0 ? MultiSelect : TagsInput;
    return (
      <List
        {...shared}
        value={values === '' ? [] : values.split(',')}
        onChange={(list) => change(list.join())}
        data={[...choices]}
        placeholder={t('listHint')}
        description={description}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
      />
    );
  }
  const [from, to] = endsIn(values);
  const input = {
    ...shared,
    error: undefined,
    type: kind === 'date' ? 'date' : 'text',
    placeholder,
  };
  return (
    <>
      <Group grow gap="xs" align="end">
        <TextInput
          {...input}
          label={t('range.from', { name })}
          value={from}
          onChange={({ currentTarget: { value } }) => change(`${value}..${to}`)}
          error={Boolean(error)}
        />
        <TextInput
          {...input}
          label={t('range.to')}
          aria-label={t('range.toOf', { name })}
          value={to}
          onChange={({ currentTarget: { value } }) => change(`${from}..${value}`)}
          error={Boolean(error)}
        />
      </Group>
      {error && (
        <Input.Error mt={5} role="alert">
          {error}
        </Input.Error>
      )}
      {description && <Input.Description mt={5}>{description}</Input.Description>}
    </>
  );
}
