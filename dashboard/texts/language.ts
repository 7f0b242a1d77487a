import { useTranslation } from 'react-i18next';

export const LANGUAGES = { en: 'English', ko: '한국어' } as const;

export type Language = keyof typeof LANGUAGES;

const STORAGE_KEY = 'tool-gateway-language';

export const isLanguage = (value: unknown): value is Language =>
  typeof value === 'string' && Object.hasOwn(LANGUAGES, value);

/** The language that the person chose on this device; else the first one of the browser that we have; else English. */
export function preferredLanguage(): Language {
  const chosen = readChoice(STORAGE_KEY);
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((tag) => tag.split('-')[0]).find(isLanguage) ?? 'en';
}

/** What a person has chosen on this device. */
export function readChoice(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function rememberChoice(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser without storage asks again, or begins with the first choice.
  }
}

export const rememberLanguage = (language: Language): void => rememberChoice(STORAGE_KEY, language);

export const languageOf = (value: unknown): Language => (isLanguage(value) ? value : 'en');

/** The language in use, for dates, numbers and addresses of pages. */
export function useLanguage(): Language {
  const { i18n } = useTranslation();
  return languageOf(i18n.language);
}
