import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { ErrorAlert } from '../shared/error-alert.tsx';

/** What people get wrong, in their own language; all else in the words of the gateway. */
export function SignInError({ error }: { readonly error: Error }) {
  const { t } = useTranslation('signIn');
  const status = error instanceof AdminError ? error.status : 0;
  const own = status === 401 ? t('wrong') : status === 429 ? t('tooMany') : undefined;
  return <ErrorAlert error={own === undefined ? error : new Error(own)} />;
}
