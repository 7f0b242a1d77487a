import { Badge, Code, Group, Text, Tooltip } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { arrangeFields } from '../playground/arrange-fields.ts';
import { type Field, readFields, showValue, typeOf } from '../playground/read-fields.ts';
import type { ToolDetails } from '../playground/run-tool.ts';
import { DataTable } from '../shared/data-table.tsx';
import { Hint } from '../shared/page.tsx';

/** The arguments of a tool with their codes and defaults. */
export function ParameterTable({ tool }: { readonly tool: ToolDetails }) {
  const { t } = useTranslation('catalogue');
  const { fields } = useMemo(() => arrangeFields(readFields(tool.inputSchema)), [tool.inputSchema]);
  return (
    <DataTable
      label={t('tool.parameters')}
      rows={fields}
      rowKey={({ name }) => name}
      empty={<Text c="dimmed">{t('tool.noParameters')}</Text>}
      columns={[
        { header: t('tool.name'), width: '13rem', cell: (field) => <Name field={field} /> },
        { header: t('tool.type'), width: '11rem', cell: ({ schema }) => describeType(schema) },
        {
          header: t('tool.default'),
          width: '11rem',
          cell: (field) => <Default field={field} tool={tool} />,
        },
        { header: t('tool.meaning'), cell: (field) => <Meaning field={field} /> },
      ]}
    />
  );
}

function Name({ field }: { readonly field: Field }) {
  const { t } = useTranslation('catalogue');
  return (
    <>
      <Code>{field.name}</Code>{' '}
      {field.isRequired && (
        <Badge size="xs" variant="light" color="orange" tt="none">
          {t('tool.required')}
        </Badge>
      )}
    </>
  );
}

/** The type with its bounds: `integer 1 … 100`. */
function describeType(schema: Field['schema']): string {
  const type = String(typeOf(schema) ?? '');
  const [least, most] = [schema['minimum'], schema['maximum']].map(showValue);
  const bounds = least || most ? ` ${least}…${most}` : '';
  return `${type}${bounds}`;
}

function Default({ field, tool }: { readonly field: Field; readonly tool: ToolDetails }) {
  const { t } = useTranslation('catalogue');
  if (tool.computedDefaults.includes(field.name)) {
    return (
      <Tooltip label={t('tool.computedHint')} w={240}>
        <Hint component="span">{t('tool.computed')}</Hint>
      </Tooltip>
    );
  }
  const value = showValue(field.schema['default']);
  return value && <Code>{value}</Code>;
}

/** Codes beyond these are shown by the playground's list. */
const MAX_CODES = 40;

const Meaning = ({ field: { description, choices } }: { readonly field: Field }) => (
  <>
    {description}
    {choices.length > 0 && (
      <Group gap={4} mt={6}>
        {choices.slice(0, MAX_CODES).map(({ value, label }) => (
          <Code key={value}>{label}</Code>
        ))}
        {choices.length > MAX_CODES && '…'}
      </Group>
    )}
  </>
);

/** The columns of a tool's rows. */
export function ColumnTable({ columns }: Pick<ToolDetails, 'columns'>) {
  const { t } = useTranslation('catalogue');
  return (
    <DataTable
      label={t('tool.columns')}
      rows={columns}
      rowKey={({ name }) => name}
      empty={<Text c="dimmed">{t('tool.noColumns')}</Text>}
      columns={[
        { header: t('tool.name'), width: '16rem', cell: ({ name }) => <Code>{name}</Code> },
        { header: t('tool.type'), width: '9rem', cell: ({ type }) => type },
        { header: t('tool.meaning'), cell: ({ description }) => description },
      ]}
    />
  );
}
