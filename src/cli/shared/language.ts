import type { Language } from '../../tools/catalog/in-language.ts';

/** The language of the terminal, as POSIX programs read it: `LC_ALL`, `LC_MESSAGES`, `LANG`. */
export function terminalLanguage(env: NodeJS.ProcessEnv = process.env): Language {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  return /^ko\b|^ko_/i.test(locale) ? 'ko' : 'en';
}
