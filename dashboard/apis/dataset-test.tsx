import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import { type AuthenticationValues, toAuth } from './api-form.ts';
import {
  type Choice,
  extensionsIn,
  type Proposal,
  shownValue,
  type Tested,
  valueIn,
  withCorrections,
} from './dataset-choice.ts';
import { useExtensionName } from './dataset-proposal.tsx';
import { tenantKeysKey, useTenantKeys } from './queries.ts';

interface DatasetTestProps {
  readonly tenant: string;
  readonly proposal: Proposal;
  readonly choice: Choice;
  readonly auth: AuthenticationValues;
  readonly onCorrected: (choice: Choice) => void;
}

/** Calls one operation as it would be registered, and shows its first rows. */
export function DatasetTest(props: DatasetTestProps) {
  const { t } = useTranslation('apis');
  const { tenant, proposal, choice, auth } = props;
  const operations = proposal.operations.filter(({ operation }) =>
    choice.operations.has(operation),
  );
  // What needs nothing typed comes first.
  const first = operations.find(({ asks }) => asks.length === 0) ?? operations[0];
  const [chosen, setChosen] = useState<string | null>(null);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [isChecked, setChecked] = useState(false);
  const current = operations.find(({ operation }) => operation === chosen) ?? first;
  const call = useTestCall(props, operations, values);
  if (!current) return <Text size="sm">{t('dataset.chooseOperation')}</Text>;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChecked(true);
    if (current.asks.every(({ name }) => values[name])) call.mutate(current.operation);
  };
  return (
    <Stack gap="md">
      <form onSubmit={submit} noValidate>
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
          {current.asks.map(({ name, description, example }) => (
            <TextInput
              key={name}
              label={name}
              description={description}
              placeholder={example ?? undefined}
              value={values[name] ?? ''}
              onChange={({ currentTarget: { value } }) => setValues({ ...values, [name]: value })}
              error={isChecked && !values[name] && t('dataset.missing')}
              required
              autoComplete="off"
            />
          ))}
          <Filled proposal={proposal} choice={choice} operation={current.operation} />
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
      {call.data && (
        <Outcome tested={call.data}>
          {call.data.code === 'missing_secret' && auth.type === 'provider_key' && (
            <AllowOrigin
              tenant={tenant}
              name={auth.providerKey}
              origin={proposal.description.origin}
            />
          )}
        </Outcome>
      )}
    </Stack>
  );
}

function useTestCall(
  { tenant, proposal, choice, auth, onCorrected }: DatasetTestProps,
  operations: Proposal['operations'],
  values: Readonly<Record<string, string>>,
) {
  return useMutation({
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
}

/** Extensions that give a call its values. */
const FILLING = ['x-fixed', 'x-initial', 'x-default', 'x-sample'];

interface FilledProps extends Pick<DatasetTestProps, 'proposal' | 'choice'> {
  readonly operation: string;
}

/** What is sent without being typed. */
function Filled({ proposal, choice, operation }: FilledProps) {
  const { t } = useTranslation('apis');
  const filled = proposal.proposals
    .filter((each) => each.operation === operation && FILLING.includes(each.extension))
    .filter(({ id }) => choice.on.has(id))
    .flatMap((each) => Object.entries(Object(valueIn(choice, each))));
  if (filled.length === 0) return null;
  const values = filled.map(([name, value]) => `${name}=${shownValue(value)}`).join(', ');
  return <Hint style={{ overflowWrap: 'anywhere' }}>{t('dataset.filled', { values })}</Hint>;
}

/** What was typed for the fields of one operation: another one may not take them. */
const argumentsOf = (
  operations: Proposal['operations'],
  name: string,
  values: Readonly<Record<string, string>>,
): Record<string, string> => {
  const asks = operations.find(({ operation }) => operation === name)?.asks ?? [];
  return Object.fromEntries(
    asks.flatMap(({ name: ask }) => (values[ask] ? [[ask, values[ask]]] : [])),
  );
};

/** The gateway has sent nothing: the words about the API and its key would be wrong. */
const NOT_SENT = ['missing_secret', 'upstream_blocked'] as const;

interface OutcomeProps {
  readonly tested: Tested;
  /** What can be done about it. */
  readonly children: ReactNode;
}

function Outcome({ tested, children }: OutcomeProps) {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  const nameOf = useExtensionName();
  const { outcome, cause, code, message, rows, total, corrections } = tested;
  const notSent = NOT_SENT.find((each) => each === code);
  return (
    <Stack gap="sm">
      <Alert
        color={outcome === 'ok' ? 'celadon' : 'yellow'}
        role="status"
        icon={outcome === 'ok' ? <IconCheck aria-hidden /> : undefined}
        title={t(notSent ? `dataset.notSent.${notSent}` : `dataset.outcome.${outcome}`)}
        maw="56rem"
      >
        {outcome === 'ok' &&
          total !== null &&
          t('dataset.total', { count: total, formatted: count(total) })}
        {cause && !notSent && <Text size="sm">{t(`dataset.cause.${cause as 'quota'}`)}</Text>}
        {message && <Text size="sm">{message}</Text>}
        {corrections.map(({ extension, value }) => (
          <Text size="sm" key={extension}>
            {t('dataset.corrected', { extension: nameOf(extension), value: shownValue(value) })}
          </Text>
        ))}
        {children}
      </Alert>
      {rows.length > 0 && <Rows rows={rows} />}
    </Stack>
  );
}

interface AllowOriginProps {
  readonly tenant: string;
  readonly name: string;
  readonly origin: string | null;
}

/** Lets the tenant's own key be sent to the origin of the API, if the person may decide this. */
function AllowOrigin({ tenant, name, origin }: AllowOriginProps) {
  const { t } = useTranslation('apis');
  const { canChange } = useTenant();
  const queries = useQueryClient();
  const [isOpen, { open, close }] = useDisclosure();
  const key = useTenantKeys(tenant).data?.providerKeys.find((each) => each.name === name);
  if (!origin || !canChange || key?.owner !== 'tenant' || key.origins.includes(origin)) return null;
  const allow = async (): Promise<void> => {
    const origins = [...key.origins, origin];
    await callAdmin('POST /tenants/:tenant/provider-keys/:name/origins', { tenant, name, origins });
    await queries.invalidateQueries({ queryKey: tenantKeysKey(tenant) });
  };
  return (
    <>
      <Button size="xs" mt="xs" onClick={open}>
        {t('dataset.allow', { origin })}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={close}
        title={t('dataset.allowTitle')}
        action={t('dataset.allow', { origin })}
        onConfirm={allow}
        isDangerous
      >
        {t('dataset.allowText', { name, origin })}
      </ConfirmDialog>
    </>
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
