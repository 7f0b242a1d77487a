import { Alert, Text } from '@mantine/core';
import { IconHourglass, IconInfoCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './api-facts.module.css';
import type { Api } from './queries.ts';

/** Where an API is and what it gets, and what waits. */
export function ApiFacts({ api }: { readonly api: Api }) {
  const { t } = useTranslation('apis');
  const { source, baseUrl, auth, origins, visibility } = api;
  return (
    <>
      <Waiting api={api} />
      <dl className={classes.root}>
        <Fact name={t('column.base')}>{baseUrl}</Fact>
        <Fact name={t('api.source')}>
          {source.kind === 'address' ? source.address : t('job.asText')}
        </Fact>
        <Fact name={t('column.visibility')}>{t(`visibility.${visibility}`)}</Fact>
        <Fact name={t('api.credential')}>
          {auth.set ? t('api.set', { type: auth.type }) : t('api.notSet')}
        </Fact>
        {auth.set && <Fact name={t('api.origins')}>{origins.join(', ')}</Fact>}
      </dl>
    </>
  );
}

interface FactProps {
  readonly name: string;
  readonly children: React.ReactNode;
}

const Fact = ({ name, children }: FactProps) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Also says so if the operator rejected the last version. */
function Waiting({ api: { waiting, pending, history } }: { readonly api: Api }) {
  const { t } = useTranslation('apis');
  if (waiting) {
    return (
      <Alert color="yellow" icon={<IconHourglass aria-hidden />}>
        {t(pending ? 'api.waiting' : 'api.waitingNew')}
      </Alert>
    );
  }
  const [last] = history;
  if (last?.action !== 'registration.rejected') return null;
  const reason = reasonOf(last.details);
  return (
    <Alert color="yellow" icon={<IconInfoCircle aria-hidden />}>
      <Text size="sm">{reason ? t('api.rejected', { reason }) : t('api.rejectedPlain')}</Text>
    </Alert>
  );
}

/** Why an operator rejected a version, if the entry of the trail says so. */
export function reasonOf(details: unknown): string {
  const { reason } = (details ?? {}) as { readonly reason?: unknown };
  return typeof reason === 'string' ? reason : '';
}
