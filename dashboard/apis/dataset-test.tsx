import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconCheck, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { icon } from '../shared/buttons.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import { type AuthenticationValues, toAuth } from './api-form.ts';
import {
  type Choice,
  extensionsIn,
  type Proposal,
  shownValue,
  type Tested,
  withCorrections,
} from './dataset-choice.ts';
import { useExtensionName } from './dataset-proposal.tsx';

interface DatasetTestProps {
  readonly tenant: string;
  readonly proposal: Proposal;
  readonly choice: Choice;
  readonly auth: AuthenticationValues;
  readonly onCorrected: (choice: Choice) => void;
}

/** Calls one operation as it would be registered, and shows its first rows. */
export function DatasetTest({ tenant, proposal, choice, auth, onCorrected }: DatasetTestProps) {
  const { t } = useTranslation('apis');
  const operations = proposal.operations.filter(({ operation }) =>
    choice.operations.has(operation),
  );
  // What needs nothing typed comes first.
  const first = operations.find(({ asks }) => asks.length === 0) ?? operations[0];
  const [chosen, setChosen] = useState<string | null>(null);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const current = operations.find(({ operation }) => operation === chosen) ?? first;
  const call = useMutation({
    mutationFn: (operation: string) =>
      callAdmin('POST /tenants/:tenant/proposals/:id/test', {
        tenant,
        id: proposal.id,
        operation,
        arguments: argumentsOf(operations, operation, values),
        auth: toAuth(auth),
        extensions: extensionsIn(proposal, choice),
      }),
    onSuccess: ({ corrections }) => {
      if (corrections.length > 0) onCorrected(withCorrections(proposal, choice, corrections));
    },
  });
  if (!current) return <Text size="sm">{t('dataset.chooseOperation')}</Text>;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    call.mutate(current.operation);
  };
  return (
    <Stack gap="md">
      <form onSubmit={submit}>
        <Stack gap="sm" maw="56rem">
          {operations.length > 1 && (
            <Select
              label={t('column.operation')}
              data={operations.map(({ operation, title }) => ({
                value: operation,
                label: title ?? operation,
              }))}
              value={current.operation}
              onChange={setChosen}
              allowDeselect={false}
            />
          )}
          {current.asks.map((name) => (
            <TextInput
              key={name}
              label={name}
              value={values[name] ?? ''}
              onChange={({ currentTarget: { value } }) => setValues({ ...values, [name]: value })}
              autoComplete="off"
            />
          ))}
          <Group>
            <Button
              type="submit"
              variant="default"
              leftSection={icon(IconPlayerPlay)}
              loading={call.isPending}
            >
              {t('dataset.run')}
            </Button>
          </Group>
        </Stack>
      </form>
      {call.error && <ErrorAlert error={call.error} />}
      {call.data && <Outcome tested={call.data} />}
    </Stack>
  );
}

/** What was typed for the fields of one operation: another one may not take them. */
const argumentsOf = (
  operations: Proposal['operations'],
  name: string,
  values: Readonly<Record<string, string>>,
): Record<string, string> => {
  const asks = operations.find(({ operation }) => operation === name)?.asks ?? [];
  return Object.fromEntries(asks.flatMap((ask) => (values[ask] ? [[ask, values[ask]]] : [])));
};

function Outcome({ tested }: { readonly tested: Tested }) {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  const nameOf = useExtensionName();
  const { outcome, message, rows, total, corrections } = tested;
  return (
    <Stack gap="sm">
      <Alert
        color={outcome === 'ok' ? 'celadon' : 'yellow'}
        role="status"
        icon={outcome === 'ok' ? <IconCheck aria-hidden /> : undefined}
        title={t(`dataset.outcome.${outcome}`)}
        maw="56rem"
      >
        {outcome === 'ok' &&
          total !== null &&
          t('dataset.total', { count: total, formatted: count(total) })}
        {tested.cause && <Text size="sm">{t(`dataset.cause.${tested.cause as 'quota'}`)}</Text>}
        {message && <Text size="sm">{message}</Text>}
        {corrections.map(({ extension, value }) => (
          <Text size="sm" key={extension}>
            {t('dataset.corrected', { extension: nameOf(extension), value: shownValue(value) })}
          </Text>
        ))}
      </Alert>
      {rows.length > 0 && <Rows rows={rows} />}
    </Stack>
  );
}

/** Columns that are shown: a person looks whether these are data. */
const MAX_COLUMNS = 8;

function Rows({ rows }: { readonly rows: Tested['rows'] }) {
  const { t } = useTranslation('apis');
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, MAX_COLUMNS);
  return (
    <DataTable
      label={t('dataset.rows')}
      rows={rows}
      rowKey={(row) => JSON.stringify(row)}
      empty={null}
      columns={names.map((name) => ({
        header: name,
        cell: (row) => cellOf((row as Readonly<Record<string, unknown>>)[name]),
      }))}
    />
  );
}

const cellOf = (value: unknown): string =>
  value === null || value === undefined ? '' : shownValue(value).slice(0, 200);
