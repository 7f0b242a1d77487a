import {
  Alert,
  Anchor,
  Button,
  Collapse,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ask, callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { ErrorAlert, PageHeader, Section } from '../shared/page.tsx';
import { type AuthenticationValues, NO_AUTHENTICATION, toAuth } from './api-form.ts';
import { AuthenticationFields } from './authentication-fields.tsx';
import { type Choice, extensionsIn, firstChoice, type Proposal } from './dataset-choice.ts';
import { Problems, ProposalView } from './dataset-proposal.tsx';
import { DatasetTest } from './dataset-test.tsx';
import { JobView } from './job-view.tsx';
import { jobQuery, jobsKey } from './queries.ts';

/** Turns a dataset of a data portal into tools: paste, decide, test, register. */
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
              <ErrorAlert error={search.error} />
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

function SourceForm({ isSearching, onSearch }: SourceFormProps) {
  const { t } = useTranslation('apis');
  const [source, setSource] = useState('');
  const [text, setText] = useState('');
  const [isOpen, { toggle }] = useDisclosure(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isOpen && text.trim()) onSearch({ spec_raw: text });
    else if (source.trim()) onSearch({ source: source.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t('dataset.source')}
          description={t('dataset.sourceHint')}
          placeholder="15085288"
          value={source}
          onChange={(event) => setSource(event.currentTarget.value)}
          disabled={isOpen}
          autoComplete="off"
        />
        <Collapse expanded={isOpen}>
          <Textarea
            label={t('dataset.text')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            minRows={6}
            maxRows={14}
            autosize
            spellCheck={false}
            ff="monospace"
          />
        </Collapse>
        <Group gap="sm">
          <Button type="submit" leftSection={icon(IconSearch)} loading={isSearching}>
            {t('dataset.find')}
          </Button>
          <Button variant="subtle" onClick={toggle} aria-expanded={isOpen}>
            {t(isOpen ? 'dataset.byNumber' : 'dataset.byText')}
          </Button>
        </Group>
      </Stack>
    </form>
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
  return (
    <Stack gap="md" maw="56rem">
      <Group align="end" gap="sm">
        <TextInput
          label={t('form.name')}
          description={t('form.nameHint')}
          value={name}
          maxLength={MAX_NAME}
          onChange={(event) => setName(event.currentTarget.value)}
          flex={1}
          miw="14rem"
        />
        <Button
          onClick={() => submit.mutate()}
          loading={submit.isPending}
          disabled={name.trim() === '' || isEmpty || submit.isSuccess}
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
  // The key that the page for own keys shows, too.
  const queryKey = ['own-keys', tenant];
  const keys = useQuery({
    queryKey,
    queryFn: ask('GET /tenants/:tenant/provider-keys', { tenant }),
  });
  const store = useMutation({
    mutationFn: () =>
      callAdmin('PUT /tenants/:tenant/provider-keys/:name', { tenant, name, value: value.trim() }),
    onSuccess: () => {
      setValue('');
      return queries.invalidateQueries({ queryKey });
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
