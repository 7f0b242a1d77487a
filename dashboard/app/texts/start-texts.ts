import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { type Language, preferredLanguage, rememberLanguage } from '../../texts/language.ts';
import { withParticles } from '../../texts/particles.ts';
import type { texts as english } from './en.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'app';
    resources: typeof english;
  }
}

/** Each language is a file of its own, loaded when it is first needed. */
const LOADERS = { en: () => import('./en.ts'), ko: () => import('./ko.ts') } as const;

/** Loads the texts of the preferred language. Call it before anything is rendered. */
export async function startTexts(): Promise<void> {
  const language = preferredLanguage();
  const { texts } = await LOADERS[language]();
  i18next.use(initReactI18next);
  i18next.use({ type: 'postProcessor', name: 'particles', process: withParticles });
  await i18next.init({
    lng: language,
    fallbackLng: false,
    defaultNS: 'app',
    resources: { [language]: texts },
    // React escapes what it renders.
    interpolation: { escapeValue: false },
    postProcess: 'particles',
    returnNull: false,
  });
  document.documentElement.lang = language;
}

/** Switches the language of everything on the page, and remembers it on this device. */
export async function switchLanguage(language: Language): Promise<void> {
  const { texts } = await LOADERS[language]();
  for (const [namespace, members] of Object.entries(texts)) {
    i18next.addResourceBundle(language, namespace, members);
  }
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  rememberLanguage(language);
}
