import { ActionIcon, Autocomplete, Button, Group, Input, NativeSelect, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { icon } from '../shared/buttons.tsx';
import { ArgumentField } from './argument-field.tsx';
import { columnsOf, findRows, readTable } from './find-rows.ts';
import type { FormValues } from './form-values.ts';
import type { Field } from './read-fields.ts';
import type { Run, ToolDetails } from './run-tool.ts';

export interface RowFieldsProps {
  readonly form: UseFormReturnType<FormValues>;
  /** The fields of the row arguments, with their keys in the form. */
  readonly fields: readonly { readonly field: Field; readonly key: string }[];
  readonly tool: ToolDetails;
  /** Its columns are offered where the tool describes none. */
  readonly lastRun: Run | undefined;
  /** The arguments that vary are columns, too. */
  readonly varied: readonly string[];
}

const FUNCTIONS = ['median', 'mean', 'sum', 'min', 'max', 'first', 'last', 'count'] as const;
const UNITS = ['year', 'month', 'day'] as const;
const ORDERS = { '': 'ascending', '-': 'descending' } as const;

/** What is made of the rows of an answer: groups, figures, an order, and a choice of rows and columns. */
export function RowFields({ form, fields, tool, lastRun, varied }: RowFieldsProps) {
  const { t } = useTranslation('playground');
  const columns = [...new Set([...varied, ...useColumns(tool, lastRun)])];
  const listAt = (name: string): readonly string[] => {
    const key = fields.find(({ field }) => field.name === name)?.key ?? '';
    return [form.values[key] ?? []].flat();
  };
  const results = [...listAt('_group'), ...listAt('_calc')].map(resultName);
  const lists: Record<string, Pick<PairListProps, 'prefixes' | 'columns'>> = {
    _group: {
      prefixes: { '': t('rows.value'), ...mapped(UNITS, (unit) => t(`rows.units.${unit}`)) },
      columns,
    },
    _calc: {
      prefixes: {
        ...mapped(FUNCTIONS, (each) => t(`rows.functions.${each}`)),
        count: t('rows.count'),
      },
      columns,
    },
    _sort: {
      prefixes: Object.fromEntries(
        Object.entries(ORDERS).map(([prefix, order]) => [prefix, t(`rows.${order}`)]),
      ),
      columns: results.length > 0 ? results : columns,
    },
  };
  return (
    <Stack gap="sm">
      {fields.map(({ field, key }) => {
        const list = lists[field.name];
        const input = form.getInputProps(key);
        return list ? (
          <PairList
            key={key}
            {...list}
            label={t(`rows.${field.name as '_group' | '_calc' | '_sort'}`)}
            texts={listAt(field.name)}
            error={input.error}
            onChange={input.onChange}
          />
        ) : (
          <ArgumentField
            key={key}
            field={field}
            input={input}
            isComputed={false}
            columns={tool.columns}
          />
        );
      })}
    </Stack>
  );
}

const mapped = <Name extends string>(names: readonly Name[], label: (name: Name) => string) =>
  Object.fromEntries(names.map((name) => [`${name}:`, label(name)]));

/** The column that the gateway makes of a group or figure: `date_month`, `median_price`. */
function resultName(text: string): string {
  const [first = '', column] = text.split(/:(.*)/s);
  if (column === undefined) return first;
  return UNITS.some((unit) => unit === first) ? `${column}_${first}` : `${first}_${column}`;
}

/** The columns of the tool, else of the last answer that was not grouped. */
function useColumns(tool: ToolDetails, lastRun: Run | undefined): readonly string[] {
  const seen = useRef<readonly string[]>([]);
  if (tool.columns.length > 0) return tool.columns.map(({ name }) => name);
  const { _group: group, _calc: calc } = lastRun?.arguments ?? {};
  const { data, rows: counted } = lastRun?.result ?? {};
  if (data !== undefined && group === undefined && calc === undefined)
    seen.current = columnsOf(readTable(data)?.rows ?? findRows(data, counted?.found ?? tool));
  return seen.current;
}

interface PairListProps {
  readonly label: string;
  /** Each is a prefix and a column, or a prefix alone. */
  readonly texts: readonly string[];
  /** What may stand before a column, and what it is called. */
  readonly prefixes: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly error: ReactNode;
  readonly onChange: (texts: string[]) => void;
}

/** A list of columns, each with what is done with it. */
function PairList({ label, texts, prefixes, columns, error, onChange }: PairListProps) {
  const { t } = useTranslation('playground');
  const add = useRef<HTMLButtonElement>(null);
  const data = Object.entries(prefixes).map(([value, name]) => ({ value, label: name }));
  const split = (text: string): readonly [prefix: string, column: string] => {
    const known = Object.keys(prefixes).sort((a, b) => b.length - a.length);
    const prefix = known.find((each) => text.startsWith(each)) ?? '';
    return [prefix, text.slice(prefix.length)];
  };
  const change = (at: number, text: string) => onChange(texts.with(at, text));
  return (
    <Input.Wrapper
      component="fieldset"
      label={label}
      labelElement="div"
      error={error}
      bd={0}
      p={0}
      m={0}
      miw={0}
    >
      <Stack gap={6}>
        {texts.map((text, at) => {
          const [prefix, column] = split(text);
          const nth = `${label} ${at + 1}`;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no other identity, and change while they are typed.
            <Group key={at} gap={6} wrap="nowrap">
              <NativeSelect
                aria-label={`${nth}: ${t('rows.how')}`}
                data={data}
                value={prefix}
                onChange={({ currentTarget: { value } }) =>
                  change(at, value === 'count' ? value : value + column)
                }
                flex={prefix === 'count' ? 1 : '0 0 9rem'}
              />
              {prefix !== 'count' && (
                <Autocomplete
                  aria-label={`${nth}: ${t('rows.column')}`}
                  data={[...columns]}
                  value={column}
                  onChange={(value) => change(at, prefix + value)}
                  flex={1}
                  miw={0}
                />
              )}
              <ActionIcon
                variant="subtle"
                color="gray"
                ml="auto"
                aria-label={t('rows.remove', { name: nth })}
                onClick={() => {
                  onChange(texts.toSpliced(at, 1));
                  add.current?.focus();
                }}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Group>
          );
        })}
        <Button
          ref={add}
          size="compact-xs"
          variant="subtle"
          w="fit-content"
          leftSection={icon(IconPlus)}
          aria-label={`${label}: ${t('rows.add')}`}
          onClick={() => onChange([...texts, data[0]?.value ?? ''])}
        >
          {t('rows.add')}
        </Button>
      </Stack>
    </Input.Wrapper>
  );
}
