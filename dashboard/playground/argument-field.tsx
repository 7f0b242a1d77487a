import { MultiSelect, Select, Skeleton, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Field } from './read-fields.ts';
import type { ToolDetails } from './run-tool.ts';

const JsonInput = lazy(async () => ({ default: (await import('./rare-inputs.tsx')).JsonInput }));
export const TagsInput = lazy(async () => ({
  default: (await import('./rare-inputs.tsx')).TagsInput,
}));

export interface ArgumentFieldProps {
  readonly field: Field;
  /** What the form gives the input. */
  readonly input: GetInputPropsReturnType;
  /** Whether the gateway computes it when it is left out. */
  readonly isComputed: boolean;
  readonly columns: ToolDetails['columns'];
}

/** Choices beyond these are searched by typing. */
const SEARCHABLE = 8;

/** The input for one argument. */
export function ArgumentField({ field, input, isComputed, columns }: ArgumentFieldProps) {
  const { t } = useTranslation('playground');
  const { name, kind, isRequired, description, placeholder, choices } = field;
  const example = placeholder ? t('exampleOf', { value: placeholder }) : '';
  const hint = isComputed ? t('computed') : example;
  const shared = {
    ...input,
    label: name,
    description,
    placeholder: hint,
    required: isRequired,
    inputWrapperOrder: ['label', 'input', 'error', 'description'] as const satisfies string[],
  };
  if (kind === 'choice') {
    return (
      <Select
        {...shared}
        // Mantine's null is our empty entry.
        value={input.value || null}
        onChange={(value) => input.onChange(value ?? '')}
        data={[...choices]}
        clearable={!isRequired}
        searchable={choices.length > SEARCHABLE}
      />
    );
  }
  if (kind === 'list') {
    const known = name === '_fields' ? columns.map((column) => column.name) : [];
    const data = known.length > 0 ? known : [...choices];
    return data.length > 0 ? (
      <MultiSelect {...shared} data={data} searchable clearable />
    ) : (
      <Suspense fallback={<Skeleton height={60} />}>
        <TagsInput {...shared} placeholder={t('listHint')} />
      </Suspense>
    );
  }
  if (kind === 'json') {
    return (
      <Suspense fallback={<Skeleton height={100} />}>
        <JsonInput {...shared} autosize minRows={3} maxRows={14} placeholder={hint || '{ }'} />
      </Suspense>
    );
  }
  return (
    <TextInput
      {...shared}
      type={kind === 'date' ? 'date' : 'text'}
      {...(kind === 'number' || kind === 'integer' ? { inputMode: 'decimal' as const } : {})}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
