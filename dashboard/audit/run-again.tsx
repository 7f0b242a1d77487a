import { Alert, Button, JsonInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';
import type { RecordWithRepeat } from './record-details.tsx';
import { completeArguments, parseArguments } from './run-arguments.ts';
import { RunResult } from './run-result.tsx';

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
    mutationFn: () =>
      callAdmin('POST /tenants/:tenant/audit/:auditId/run', {
        tenant,
        auditId: record.auditId,
        ...(args && { arguments: { ...args } }),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['audit', tenant, 'list'] }),
  });
  return (
    <section>
      <Title order={3}>{t('run.title')}</Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('run.text')}
      </Text>
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
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
          >
            {t('run.button')}
          </Button>
        </div>
        {run.error && <ErrorAlert error={run.error} />}
        {run.data && <RunResult before={record} result={run.data} onOpen={onOpen} />}
      </Stack>
    </section>
  );
}
