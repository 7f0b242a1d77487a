import { texts as apis } from '../../apis/texts.ko.ts';
import { texts as audit } from '../../audit/texts.ko.ts';
import { texts as catalogue } from '../../catalogue/texts.ko.ts';
import { texts as home } from '../../home/texts.ko.ts';
import { texts as keys } from '../../keys/texts.ko.ts';
import { texts as live } from '../../live/texts.ko.ts';
import { texts as overview } from '../../overview/texts.ko.ts';
import { texts as people } from '../../people/texts.ko.ts';
import { texts as playground } from '../../playground/texts.ko.ts';
import { texts as providerKeys } from '../../provider-keys/texts.ko.ts';
import { texts as shared } from '../../shared/texts.ko.ts';
import { texts as signIn } from '../../sign-in/texts.ko.ts';
import { texts as app } from './app.ko.ts';

/** All texts in Korean, by feature. */
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
