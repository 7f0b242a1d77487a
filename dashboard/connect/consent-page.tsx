import {
  Alert,
  Anchor,
  Badge,
  Box,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Paper,
  Stack,
  Text,
} from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isStatus } from '../api/admin-error.ts';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { ErrorAlert, Hint, PageHeader } from '../shared/page.tsx';
import { Waiting } from '../shared/waiting.tsx';
import { ToolsToAllow } from './tools-to-allow.tsx';

const NARROW = { maw: '34rem', mx: 'auto', mt: 'clamp(0.5rem, 4vh, 4rem)' } as const;

type Request = AdminAnswer<'GET /connect/:uid'>;

/** Asks a person whether a program may use tools in its name, and which. */
export function ConsentPage() {
  const { t } = useTranslation('connect');
  const { uid } = useParams({ from: '/signed-in/admin/connect/$uid' });
  const [isAnswered, setAnswered] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['connect', uid],
    queryFn: ask('GET /connect/:uid', { uid }),
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (isAnswered) {
    return (
      <Box {...NARROW}>
        <PageHeader title={t('done.title')} description={t('done.text')} />
      </Box>
    );
  }
  const isGone = isStatus(error, 404);
  return (
    <Box {...NARROW}>
      {isGone && <PageHeader title={t('gone.title')} description={t('gone.text')} />}
      {!isGone && error && <ErrorAlert error={error} onRetry={refetch} />}
      {!data && !error && <Waiting />}
      {data && <Consent uid={uid} request={data} onAnswered={() => setAnswered(true)} />}
    </Box>
  );
}

interface ConsentProps {
  readonly uid: string;
  readonly request: Request;
  readonly onAnswered: () => void;
}

function Consent({ uid, request, onAnswered }: ConsentProps) {
  const { t } = useTranslation('connect');
  return (
    <>
      <PageHeader
        title={t('title', { name: request.client.name })}
        description={t('description')}
      />
      <Paper withBorder p={{ base: 'md', sm: 'lg' }} radius="lg">
        <Stack>
          <Client request={request} />
          <Account />
          <Choice uid={uid} maxDays={request.maxDays} onAnswered={onAnswered} />
        </Stack>
      </Paper>
      <Hint mt="md">{t('change')}</Hint>
    </>
  );
}

const COLOURS = { loopback: 'yellow', app: 'yellow', known: 'blue', unknown: 'red' } as const;

/** Who asks, and where the browser will go: the name is what a program calls itself. */
function Client({ request }: Pick<ConsentProps, 'request'>) {
  const { t } = useTranslation('connect');
  const { host, kind } = request.returnsTo;
  const { identity } = request.client;
  const site = 'host' in identity ? identity.host : '';
  return (
    <>
      <Group gap="xs">
        <Badge
          color={identity.kind === 'unverified' ? 'gray' : 'celadon'}
          variant="light"
          tt="none"
        >
          {t(`identity.${identity.kind}`, { host: site })}
        </Badge>
        {identity.kind === 'unverified' && <Hint>{t('identity.unverifiedHint')}</Hint>}
      </Group>
      <Alert color={COLOURS[kind]}>
        <Text size="sm">{t('returns.label')}</Text>
        <Text fw={600}>{host}</Text>
        <Text size="sm">{t(`returns.${kind}`)}</Text>
      </Alert>
    </>
  );
}

/** As whom the person is signed in, with a way to be somebody else. */
function Account() {
  const { t } = useTranslation('connect');
  const person = usePerson();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: () => callAdmin('DELETE /session', {}),
    onSuccess: () => {
      const back = `${window.location.pathname}${window.location.search}`;
      queries.clear();
      return navigate({ to: '/admin/sign-in', search: { back } });
    },
  });
  return (
    <div>
      <Text size="sm" fw={600}>
        {t('account.label')}
      </Text>
      <Group gap="xs">
        <Text size="sm">{person?.email}</Text>
        <Anchor component="button" type="button" size="sm" onClick={() => leave.mutate()}>
          {t('account.switch')}
        </Anchor>
      </Group>
    </div>
  );
}

/** A page that appears under a finger must not be answered by it. */
const READY_AFTER_MS = 800;

const DAYS = [7, 30, 90, 365];

type ChoiceProps = Pick<ConsentProps, 'uid' | 'onAnswered'> & Pick<Request, 'maxDays'>;

function Choice({ uid, maxDays, onAnswered }: ChoiceProps) {
  const { t } = useTranslation('connect');
  const tenant = useTenantInUse();
  const [isReady, setReady] = useState(false);
  useTimeout(() => setReady(true), READY_AFTER_MS, { autoInvoke: true });
  const [allowedTools, setAllowedTools] = useState<string[] | null>(null);
  const days = [...DAYS.filter((each) => each < maxDays), maxDays];
  const [chosenDays, setDays] = useState(Math.min(90, maxDays));
  const [dailyLimit, setDailyLimit] = useState<number | string>('');
  const answer = useMutation({
    mutationFn: (isAllowed: boolean) =>
      isAllowed
        ? callAdmin('POST /connect/:uid', {
            uid,
            tenant: tenant?.slug ?? '',
            allowedTools,
            days: chosenDays,
            dailyLimit: dailyLimit === '' ? undefined : Number(dailyLimit),
          })
        : callAdmin('DELETE /connect/:uid', { uid }),
    onSuccess: ({ location }) => {
      onAnswered();
      // A form would be held back by the policy of this page, because the program is elsewhere.
      window.location.assign(location);
    },
  });
  return (
    <>
      {tenant ? (
        <>
          <TenantField />
          <ToolsToAllow tenant={tenant.slug} value={allowedTools} onChange={setAllowedTools} />
          <Group grow align="flex-start">
            <NativeSelect
              label={t('expires')}
              value={String(chosenDays)}
              onChange={(event) => setDays(Number(event.currentTarget.value))}
              data={days.map((each) => ({
                value: String(each),
                label: t('days', { count: each }),
              }))}
            />
            <NumberInput
              label={t('dailyLimit')}
              placeholder={t('dailyLimitHint')}
              value={dailyLimit}
              onChange={setDailyLimit}
              min={1}
              max={1_000_000_000}
              allowDecimal={false}
              thousandSeparator=","
              clampBehavior="strict"
            />
          </Group>
        </>
      ) : (
        <Alert color="yellow">{t('noTenant')}</Alert>
      )}
      {answer.error && <ErrorAlert error={answer.error} />}
      <Group grow>
        <Button
          variant="default"
          loading={answer.isPending && answer.variables === false}
          onClick={() => answer.mutate(false)}
        >
          {t('deny')}
        </Button>
        <Button
          disabled={!isReady || !tenant || allowedTools?.length === 0}
          loading={answer.isPending && answer.variables === true}
          onClick={() => answer.mutate(true)}
        >
          {t('allow')}
        </Button>
      </Group>
    </>
  );
}

/** The tenant whose tools the program gets; it is part of the address, as everywhere. */
function TenantField() {
  const { t } = useTranslation('connect');
  const person = usePerson();
  const tenant = useTenantInUse();
  const navigate = useNavigate();
  const memberships = person?.memberships ?? [];
  const isOther = !memberships.some(({ tenantSlug }) => tenantSlug === tenant?.slug);
  const choices = memberships.map(({ tenantSlug, tenantName }) => ({
    value: tenantSlug,
    label: tenantName,
  }));
  const all =
    isOther && tenant ? [...choices, { value: tenant.slug, label: tenant.name }] : choices;
  return (
    <NativeSelect
      label={t('tenant')}
      value={tenant?.slug ?? ''}
      data={all}
      onChange={(event) => {
        const slug = event.currentTarget.value;
        void navigate({
          to: '.',
          search: (before) => ({ ...before, tenant: slug }),
          replace: true,
        });
      }}
    />
  );
}
