import { Alert } from '@mantine/core';
import { IconKeyOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { usePerson } from '../app/session.ts';
import { LinkAnchor } from '../shared/link-anchor.tsx';
import type { ToolDetails } from './catalogue-queries.ts';

/** Says that calls will fail, and to operators where to change that. Visitors do not learn which secrets are set. */
export function MissingSecrets({ secrets }: Pick<ToolDetails, 'secrets'>) {
  const { t } = useTranslation('catalogue');
  const isOperator = usePerson()?.isOperator ?? false;
  const missing = secrets.filter(({ isSet }) => isSet === false).map(({ name }) => name);
  if (missing.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconKeyOff aria-hidden />}>
      {t('missingSecret', { names: missing.join(', '), count: missing.length })}{' '}
      {isOperator ? (
        <LinkAnchor to="/admin/settings/provider-keys" inherit>
          {t('facts.setSecret')}
        </LinkAnchor>
      ) : (
        t('askOperator')
      )}
    </Alert>
  );
}
