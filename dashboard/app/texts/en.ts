import { texts as apis } from '../../apis/texts.en.ts';
import { texts as audit } from '../../audit/texts.en.ts';
import { texts as catalogue } from '../../catalogue/texts.en.ts';
import { texts as home } from '../../home/texts.en.ts';
import { texts as keys } from '../../keys/texts.en.ts';
import { texts as live } from '../../live/texts.en.ts';
import { texts as overview } from '../../overview/texts.en.ts';
import { texts as people } from '../../people/texts.en.ts';
import { texts as playground } from '../../playground/texts.en.ts';
import { texts as providerKeys } from '../../provider-keys/texts.en.ts';
import { texts as shared } from '../../shared/texts.en.ts';
import { texts as signIn } from '../../sign-in/texts.en.ts';
import { texts as app } from './app.en.ts';

/** All texts in English, by feature. */
export const texts = {
  app,
  shared,
  home,
  signIn,
  catalogue,
  playground,
  keys,
  providerKeys,
  people,
  apis,
  audit,
  live,
  overview,
};
