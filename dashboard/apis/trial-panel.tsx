import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  JsonInput,
  Paper,
  Select,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import { IconAlertTriangle, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { icon } from '../shared/buttons.tsx';
import { RawText } from '../shared/code-block.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { Json } from '../shared/json.tsx';
import { ErrorAlert, ErrorMessage, Hint } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import { type AuthenticationValues, NO_AUTHENTICATION, toAuth } from './api-form.ts';
import { AuthenticationFields } from './authentication-fields.tsx';
import { apisKey, type ToolText, type Trial } from './queries.ts';
import { exampleOf, parametersOf, readArguments } from './trial-arguments.ts';

/** What is tried: the tools of a dry run, or of the latest version of a registered API. */
export interface TrialSubject {
  readonly tenant: string;
  readonly kind: 'job' | 'api';
  readonly id: string;
  /** Of the API that is reviewed, so that no text of an earlier revision is shown as its own. */
  readonly revision?: number;
}

export interface TrialPanelProps {
  readonly subject: TrialSubject;
  readonly tools: readonly string[];
  /** The credential that the person has typed already; undefined if it must be asked for. */
  readonly auth?: AuthenticationValues | undefined;
  /** Whether the API needs a credential that is not stored. */
  readonly needsAuth: boolean;
}

/** Calls one tool before, or beside, what is live. */
export function TrialPanel({ subject, tools, auth, needsAuth }: TrialPanelProps) {
  const { t } = useTranslation('apis');
  const [tool, setTool] = useState<string | null>(tools[0] ?? null);
  const [text, setText] = useState<string | null>(null);
  const [ownAuth, setOwnAuth] = useState(NO_AUTHENTICATION);
  const [hasOther, setOther] = useState(needsAuth && auth === undefined);
  const described = useToolText(subject, tool);
  const shown = text ?? exampleOf(described.data?.inputSchema);
  const args = readArguments(shown);
  const given = hasOther ? ownAuth : auth;
  const call = useMutation({
    mutationFn: (input: { tool: string; arguments: Record<string, unknown> }) =>
      runTrial(subject, { ...input, ...(given && { auth: toAuth(given) }) }),
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (tool && args) call.mutate({ tool, arguments: args });
  };
  return (
    <Paper withBorder p="md">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Hint>{t(subject.kind === 'job' ? 'trial.text' : 'trial.liveText')}</Hint>
          <Select
            label={t('trial.tool')}
            data={tools}
            value={tool}
            onChange={(chosen) => {
              setTool(chosen);
              setText(null);
              call.reset();
            }}
            searchable
            allowDeselect={false}
            limit={200}
          />
          {described.data && <TrialParameters tool={described.data} />}
          <JsonInput
            label={t('trial.arguments')}
            value={shown}
            onChange={setText}
            error={args ? undefined : t('trial.invalid')}
            autosize
            minRows={3}
            maxRows={14}
            formatOnBlur
          />
          <Switch
            label={t('trial.other')}
            checked={hasOther}
            onChange={(event) => setOther(event.currentTarget.checked)}
          />
          {hasOther && <AuthenticationFields values={ownAuth} onChange={setOwnAuth} />}
          <Group>
            <Button
              type="submit"
              loading={call.isPending}
              // The gateway compiles one description of a tenant at a time.
              disabled={!tool || !args || described.isFetching}
              leftSection={icon(IconPlayerPlay)}
            >
              {t('trial.run')}
            </Button>
          </Group>
          {call.error && <ErrorAlert error={call.error} />}
          {call.data && <TrialResult trial={call.data} />}
        </Stack>
      </form>
    </Paper>
  );
}

function useToolText({ tenant, kind, id, revision }: TrialSubject, tool: string | null) {
  const name = tool ?? '';
  return useQuery({
    queryKey: [...apisKey(tenant), 'tool', kind, id, revision, name],
    queryFn: ({ signal }) => {
      const input = { tenant, id, tool: name };
      return kind === 'job'
        ? callAdmin('GET /tenants/:tenant/registration-jobs/:id/tools/:tool', input, { signal })
        : callAdmin('GET /tenants/:tenant/registrations/:id/tools/:tool', input, { signal });
    },
    enabled: tool !== null,
    staleTime: 60_000,
  });
}

interface TrialInput {
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  readonly auth?: ReturnType<typeof toAuth>;
}

const runTrial = ({ tenant, kind, id }: TrialSubject, input: TrialInput) =>
  kind === 'job'
    ? callAdmin('POST /tenants/:tenant/registration-jobs/:id/try', { tenant, id, ...input })
    : callAdmin('POST /tenants/:tenant/registrations/:id/try', { tenant, id, ...input });

/** What a model reads of a tool. All of it is a stranger's text. */
function TrialParameters({ tool }: { readonly tool: ToolText }) {
  const { t } = useTranslation('apis');
  return (
    <Stack gap="xs">
      <Text size="sm">{tool.description}</Text>
      <Code w="fit-content" maw="100%">
        {tool.method.toUpperCase()} {tool.baseUrl}
        {tool.path}
      </Code>
      <DataTable
        label={t('trial.parameters')}
        rows={parametersOf(tool.inputSchema)}
        rowKey={({ name }) => name}
        empty={<Hint>{t('trial.noParameters')}</Hint>}
        columns={[
          {
            header: t('column.parameter'),
            cell: ({ name, isRequired }) => (
              <>
                <Code>{name}</Code>{' '}
                {isRequired && (
                  <Badge size="xs" variant="default" tt="none">
                    {t('trial.required')}
                  </Badge>
                )}
              </>
            ),
          },
          { header: t('column.type'), cell: ({ type }) => type || '–' },
          { header: t('column.meaning'), cell: ({ description }) => description || '–' },
        ]}
      />
    </Stack>
  );
}

/** What a call of a tool came to. */
function TrialResult({ trial }: { readonly trial: Trial }) {
  const { t } = useTranslation('apis');
  const { duration } = useFormat();
  const { response, error, auditId, durationMs } = trial;
  return (
    <Stack gap="xs" role="status" aria-label={t('trial.result')}>
      {error && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('trial.failed')}>
          <ErrorMessage {...error} />
        </Alert>
      )}
      {response && (
        <>
          <Group gap="xs">
            <Badge color={response.isError ? 'red' : 'celadon'} variant="light" tt="none">
              {t('trial.status', { status: response.status })}
            </Badge>
            <Hint>{t('trial.took', { duration: duration(durationMs) })}</Hint>
          </Group>
          <Code w="fit-content" maw="100%">
            {response.method.toUpperCase()} {response.url}
          </Code>
          <ResponseData response={response} />
        </>
      )}
      <Hint size="xs">
        {t('trial.record')}: {auditId}
      </Hint>
    </Stack>
  );
}

function ResponseData({ response }: { readonly response: NonNullable<Trial['response']> }) {
  const { t } = useTranslation('apis');
  const { bytes } = useFormat();
  if (response.beginning === null) return <Json value={response.data} label={t('trial.result')} />;
  return (
    <>
      <Text size="sm">{t('trial.cut', { size: bytes(response.bytes) })}</Text>
      <RawText text={response.beginning} label={t('trial.result')} />
    </>
  );
}
