import {
  Alert,
  Anchor,
  Button,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconSearch } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { ErrorAlert, PageHeader, Section } from '../shared/page.tsx';
import { type AuthenticationValues, NO_AUTHENTICATION, type ReadFile, toAuth } from './api-form.ts';
import { AuthenticationFields } from './authentication-fields.tsx';
import { type Choice, extensionsIn, firstChoice, type Proposal } from './dataset-choice.ts';
import { Problems, ProposalView } from './dataset-proposal.tsx';
import { DatasetTest } from './dataset-test.tsx';
import { JobView } from './job-view.tsx';
import { jobQuery, jobsKey, tenantKeysKey, useTenantKeys } from './queries.ts';
import { FileDrop } from './source-fields.tsx';

/** Turns a dataset of a data portal into tools: find, drop or paste, decide, test, register. */
export function DatasetPage() {
  const { t } = useTranslation('apis');
  const { slug: tenant } = useTenant();
  const search = useMutation({
    mutationFn: (source: Source) =>
      callAdmin('POST /tenants/:tenant/proposals', { tenant, ...source }),
  });
  return (
    <Stack gap="xl">
      <div>
        <PageHeader
          title={t('dataset.title')}
          description={t('dataset.description')}
          breadcrumbs={[{ to: '/admin/apis', label: t('title') }]}
        />
        <Paper withBorder p={{ base: 'md', sm: 'lg' }} maw="56rem">
          <SourceForm isSearching={search.isPending} onSearch={search.mutate} />
          {search.error && (
            <Group mt="md" grow>
              <SearchError
                error={search.error}
                onRetry={() => search.variables && search.mutate(search.variables)}
              />
            </Group>
          )}
        </Paper>
      </div>
      {search.data && <Found key={search.data.id} proposal={search.data} tenant={tenant} />}
    </Stack>
  );
}

type Source = { readonly source: string } | { readonly spec_raw: string };

interface SourceFormProps {
  readonly isSearching: boolean;
  readonly onSearch: (source: Source) => void;
}

/** What the gateway takes: a number, or an address with or without its protocol. */
const SOURCE = /^https?:\/\/|^[\w.]+\/|^\d{5,15}$/i;

/** Descriptions, and the page of a dataset as a browser saves it. */
const FILES = '.json,.yaml,.yml,.html,.htm,application/json,application/yaml,text/html';

/** A number or an address, a file, or a pasted text. A file is read at once. */
function SourceForm({ isSearching, onSearch }: SourceFormProps) {
  const { t } = useTranslation('apis');
  const [source, setSource] = useState('');
  const [text, setText] = useState('');
  const [file, setFile] = useState<ReadFile | null>(null);
  const [isMissing, setMissing] = useState(false);
  const [isOpen, { toggle }] = useDisclosure(false);
  const error = isMissing && t('dataset.sourceMissing');
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = isOpen ? text : source.trim();
    const isGiven = isOpen ? given.trim() !== '' : SOURCE.test(given);
    setMissing(!isGiven);
    if (isGiven) onSearch(isOpen ? { spec_raw: given } : { source: given });
  };
  const read = (chosen: ReadFile | null) => {
    setFile(chosen);
    setMissing(false);
    if (chosen) onSearch({ spec_raw: chosen.text });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {isOpen ? (
          <Textarea
            label={t('dataset.text')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={error}
            minRows={6}
            maxRows={14}
            autosize
            spellCheck={false}
            ff="monospace"
          />
        ) : (
          <TextInput
            label={t('dataset.source')}
            description={t('dataset.sourceHint')}
            placeholder="15085288"
            value={source}
            onChange={(event) => setSource(event.currentTarget.value)}
            error={error}
            autoComplete="off"
          />
        )}
        <Group gap="sm">
          <Button type="submit" leftSection={icon(IconSearch)} loading={isSearching}>
            {t('dataset.find')}
          </Button>
          <Button
            variant="subtle"
            onClick={() => {
              setMissing(false);
              toggle();
            }}
          >
            {t(isOpen ? 'dataset.byNumber' : 'dataset.byText')}
          </Button>
        </Group>
        <FileDrop
          file={file}
          onRead={read}
          accept={FILES}
          words={{ drop: t('dataset.drop'), notText: t('dataset.notText') }}
        />
      </Stack>
    </form>
  );
}

/** Codes of a search whose address did not answer. */
const OFFLINE = ['upstream_unreachable', 'upstream_timeout'];

interface SearchErrorProps {
  readonly error: Error;
  readonly onRetry: () => unknown;
}

/** What went wrong with a search. While a portal is away, what is lost without its page, and what works meanwhile. */
function SearchError({ error, onRetry }: SearchErrorProps) {
  const { t } = useTranslation('apis');
  const code = error instanceof AdminError ? error.code : undefined;
  if (!code || !OFFLINE.includes(code)) return <ErrorAlert error={error} />;
  return (
    <Alert
      color="yellow"
      role="alert"
      icon={<IconAlertTriangle aria-hidden />}
      title={t('dataset.offline.title')}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('dataset.offline.instead')}</Text>
        <Text size="sm">{t('dataset.offline.lost')}</Text>
        <Text size="xs" lang="en">
          {error.message}
        </Text>
        <Button size="xs" variant="default" onClick={onRetry}>
          {t('dataset.offline.retry')}
        </Button>
      </Stack>
    </Alert>
  );
}

interface FoundProps {
  readonly tenant: string;
  readonly proposal: Proposal;
}

function Found({ tenant, proposal }: FoundProps) {
  const { t } = useTranslation('apis');
  const [choice, setChoice] = useState(() => firstChoice(proposal));
  const [auth, setAuth] = useState<AuthenticationValues>({
    ...NO_AUTHENTICATION,
    type: proposal.family === null ? 'none' : 'provider_key',
  });
  if (!proposal.description.isAvailable) return <Problems proposal={proposal} />;
  return (
    <>
      <Section title={t('dataset.found')}>
        <Problems proposal={proposal} />
        {proposal.family === null && (
          <Alert color="gray" mb="md">
            {t('dataset.unknown')}
          </Alert>
        )}
        <ProposalView proposal={proposal} choice={choice} onChange={setChoice} />
      </Section>
      <Section title={t('dataset.key')}>
        <Stack gap="md" maw="56rem">
          <AuthenticationFields values={auth} onChange={setAuth} />
          {auth.type === 'provider_key' && <StoredKey tenant={tenant} name={auth.providerKey} />}
        </Stack>
      </Section>
      {proposal.operations.length > 0 && (
        <Section title={t('dataset.test')} note={t('dataset.testHint')}>
          <DatasetTest
            tenant={tenant}
            proposal={proposal}
            choice={choice}
            auth={auth}
            onCorrected={setChoice}
          />
        </Section>
      )}
      <Section title={t('form.register')}>
        <Register tenant={tenant} proposal={proposal} choice={choice} auth={auth} />
      </Section>
    </>
  );
}

interface RegisterProps extends FoundProps {
  readonly choice: Choice;
  readonly auth: AuthenticationValues;
}

/** What names may have. */
const MAX_NAME = 100;

function Register({ tenant, proposal, choice, auth }: RegisterProps) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  const [name, setName] = useState(proposal.dataset.title?.slice(0, MAX_NAME) ?? '');
  const [isMissing, setMissing] = useState(false);
  const submit = useMutation({
    mutationFn: () =>
      callAdmin('POST /tenants/:tenant/registrations', {
        tenant,
        name: name.trim(),
        proposal_id: proposal.id,
        auth: toAuth(auth),
        extensions: extensionsIn(proposal, choice),
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: jobsKey(tenant) }),
  });
  const job = useQuery({
    ...jobQuery(tenant, submit.data?.id ?? ''),
    enabled: submit.data !== undefined,
  });
  const isEmpty = proposal.operations.length > 0 && choice.operations.size === 0;
  const register = () => {
    setMissing(name.trim() === '');
    if (name.trim()) submit.mutate();
  };
  return (
    <Stack gap="md" maw="56rem">
      <TextInput
        label={t('form.name')}
        description={t('form.nameHint')}
        value={name}
        maxLength={MAX_NAME}
        onChange={(event) => setName(event.currentTarget.value)}
        error={isMissing && t('dataset.missing')}
      />
      <Group>
        <Button
          onClick={register}
          loading={submit.isPending}
          disabled={isEmpty || submit.isSuccess}
        >
          {t('form.register')}
        </Button>
      </Group>
      {isEmpty && <Text size="sm">{t('dataset.chooseOperation')}</Text>}
      {submit.error && <ErrorAlert error={submit.error} />}
      {submit.data && job.data && <JobView job={job.data} />}
    </Stack>
  );
}

const PAGE = 'https://www.data.go.kr/iim/api/selectAPIAcountView.do';

/** Whether the tenant has stored its key, and a field to store it. */
function StoredKey({ tenant, name }: { readonly tenant: string; readonly name: string }) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  const [value, setValue] = useState('');
  const keys = useTenantKeys(tenant);
  const store = useMutation({
    mutationFn: () =>
      callAdmin('PUT /tenants/:tenant/provider-keys/:name', { tenant, name, value: value.trim() }),
    onSuccess: () => {
      setValue('');
      return queries.invalidateQueries({ queryKey: tenantKeysKey(tenant) });
    },
  });
  if (keys.error) return <ErrorAlert error={keys.error} onRetry={keys.refetch} />;
  const key = keys.data?.providerKeys.find((each) => each.name === name);
  if (key?.owner === 'tenant' && key.isSet) {
    return (
      <Alert color="celadon" role="status">
        {t('dataset.keyStored')}
      </Alert>
    );
  }
  return (
    <Stack gap="xs">
      <Text size="sm">
        {t('dataset.keyMissing')}{' '}
        <Anchor href={PAGE} target="_blank" rel="noreferrer" size="sm" underline="always">
          data.go.kr
        </Anchor>
      </Text>
      <Group align="end" gap="sm">
        <PasswordInput
          label={t('dataset.keyValue')}
          value={value}
          onChange={(event) => setValue(event.currentTarget.value)}
          autoComplete="new-password"
          flex={1}
          miw="14rem"
        />
        <Button
          variant="default"
          onClick={() => store.mutate()}
          loading={store.isPending}
          disabled={value.trim() === ''}
        >
          {t('dataset.keyStore')}
        </Button>
      </Group>
      {store.error && <ErrorAlert error={store.error} />}
    </Stack>
  );
}
