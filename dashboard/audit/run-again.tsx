import { Alert, Button, JsonInput, Stack, Table, TextInput, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { icon } from '../shared/buttons.tsx';
import { Json } from '../shared/json.tsx';
import { CallOutcome, endingOf } from '../shared/outcome.tsx';
import { ErrorAlert, ErrorMessage, Hint } from '../shared/page.tsx';
import { ExactTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import { type AuditRecordData, type RecordWithRepeat, runAgain } from './audit-queries.ts';

interface RunAgainProps {
  readonly tenant: string;
  readonly details: RecordWithRepeat;
  readonly onOpen: (auditId: string) => void;
}

/** Runs the call again, as the person and today, and compares what it came to with the record. */
export function RunAgain({ tenant, details: { record, repeat }, onOpen }: RunAgainProps) {
  const { t } = useTranslation('audit');
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [whole, setWhole] = useState('{}');
  const args = repeat.isTruncated
    ? parseArguments(whole)
    : completeArguments(record.arguments, typed);
  const isComplete =
    args !== undefined && (repeat.isTruncated || repeat.missing.every((name) => typed[name]));
  const run = useMutation({
    mutationFn: () => runAgain(queries, { tenant, tool: record.tool, arguments: { ...args } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['audit', tenant, 'list'] }),
  });
  return (
    <section>
      <Title order={3}>{t('run.title')}</Title>
      <Hint mb="sm">{t('run.text')}</Hint>
      <Stack gap="sm" align="stretch">
        {repeat.isTruncated ? (
          <JsonInput
            label={t('run.whole')}
            description={t('run.truncated')}
            value={whole}
            onChange={setWhole}
            error={args === undefined && t('run.notAnObject')}
            autosize
            minRows={4}
            maxRows={16}
          />
        ) : (
          repeat.missing.length > 0 && (
            <>
              <Alert color="blue">{t('run.masked')}</Alert>
              {repeat.missing.map((name) => (
                <TextInput
                  key={name}
                  label={name}
                  autoComplete="off"
                  required
                  value={typed[name] ?? ''}
                  onChange={({ currentTarget: { value } }) =>
                    setTyped((before) => ({ ...before, [name]: value }))
                  }
                />
              ))}
            </>
          )
        )}
        <div>
          <Button
            onClick={() => run.mutate()}
            loading={run.isPending}
            disabled={!isComplete}
            leftSection={icon(IconPlayerPlay)}
          >
            {t('run.title')}
          </Button>
        </div>
        {run.error && <ErrorAlert error={run.error} />}
        {run.data && <RunResult before={record} result={run.data} onOpen={onOpen} />}
      </Stack>
    </section>
  );
}

interface RunResultProps {
  readonly before: AuditRecordData;
  readonly result: Awaited<ReturnType<typeof runAgain>>;
  readonly onOpen: (auditId: string) => void;
}

/** Then and now, side by side, and what the tool returned today. */
function RunResult({ before, result, onOpen }: RunResultProps) {
  const { t } = useTranslation('audit');
  const { record, data } = result;
  return (
    <Stack gap="sm" aria-live="polite">
      <Comparison before={before} now={record} />
      <div>
        <Button size="compact-sm" variant="subtle" onClick={() => onOpen(record.auditId)}>
          {t('run.openRecord')}
        </Button>
      </div>
      {record.error && (
        <Alert color="red">
          <ErrorMessage {...record.error} />
        </Alert>
      )}
      {data !== undefined && <Json value={data} label={t('run.response')} />}
    </Stack>
  );
}

function Comparison({ before, now }: { before: AuditRecordData; now: AuditRecordData }) {
  const { t } = useTranslation('audit');
  const { duration, bytes } = useFormat();
  const rows: [string, (record: AuditRecordData) => ReactNode][] = [
    [t('fact.time'), ({ timestamp }) => <ExactTime at={timestamp} />],
    [t('filter.status'), (record) => <CallOutcome ending={endingOf(record)} />],
    [t('filter.upstreamStatus'), ({ upstream }) => upstream.status ?? '–'],
    [t('filter.cacheStatus'), ({ cacheStatus }) => cacheStatus ?? '–'],
    [t('fact.duration'), ({ durationMs }) => duration(durationMs)],
    [t('fact.size'), ({ responseBytes }) => bytes(responseBytes)],
  ];
  return (
    <Table withTableBorder aria-label={t('run.comparison')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th />
          <Table.Th scope="col">{t('run.before')}</Table.Th>
          <Table.Th scope="col">{t('run.now')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(([name, cell]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td>{cell(before)}</Table.Td>
            <Table.Td>{cell(now)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

type Arguments = Readonly<Record<string, unknown>>;

/** The recorded arguments, with those that a person has typed in place of the missing ones. */
function completeArguments(
  recorded: Arguments,
  typed: Readonly<Record<string, string>>,
): Arguments {
  const values = Object.entries(typed).map(([name, text]) => [name, parsed(text)]);
  return { ...recorded, ...Object.fromEntries(values) };
}

/** JSON where it is valid, such as a number or a list; else the text itself. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** All arguments as a person has written them; undefined if that is not a JSON object. */
function parseArguments(text: string): Arguments | undefined {
  const value = parsed(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Arguments) : undefined;
}
