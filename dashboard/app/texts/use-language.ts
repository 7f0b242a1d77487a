import { useTranslation } from 'react-i18next';
import { isLanguage, type Language } from './language.ts';

/** The language in use, for dates, numbers and addresses of pages. */
export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return isLanguage(i18n.language) ? i18n.language : 'en';
}
