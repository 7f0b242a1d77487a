import { DAY, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { whole } from '../noise.ts';
import type { Question } from '../question.ts';
import { listed, NO_ROWS, type Row } from '../rows.ts';
import { temperaturesOfDay, weatherAt } from './weather-model.ts';

const LATITUDE = 36.5;

const placeOf = (question: Question) => ({
  key: `region:${question.text('regId')}`,
  latitude: LATITUDE,
});

/** A rule for one row per issue; nothing for an issue in the future. */
const perIssue = (rowOf: (question: Question, issue: KoreanTime) => Row): AnswerRule => ({
  echo: { regId: 'regId' },
  rows(question) {
    const issue = question.time('tmFc');
    return issue === undefined || issue > question.now
      ? NO_ROWS
      : listed([rowOf(question, startOfDay(issue))]);
  },
});

const skyText = (rain: number): string => {
  if (rain >= 60) return '흐리고 비';
  if (rain >= 40) return '흐림';
  return rain >= 20 ? '구름많음' : '맑음';
};

/** Probability of rain (`rnSt`) and sky (`wf`), for half days until day 7 and for whole days after it. */
function landRow(question: Question, day: KoreanTime): Row {
  const half = (ahead: number, suffix: string, hour: number) => {
    const { cloud } = weatherAt(placeOf(question), day + ahead * DAY + hour * (DAY / 24));
    const rain = Math.round(cloud * 8) * 10;
    return { [`rnSt${ahead}${suffix}`]: rain, [`wf${ahead}${suffix}`]: skyText(rain) };
  };
  return Object.assign(
    {},
    ...[4, 5, 6, 7].map((ahead) => ({ ...half(ahead, 'Am', 9), ...half(ahead, 'Pm', 15) })),
    ...[8, 9, 10].map((ahead) => half(ahead, '', 12)),
  );
}

function temperatureRow(question: Question, day: KoreanTime): Row {
  const range = (name: string, ahead: number) => ({
    [`${name}Low`]: whole(0, 2, question.text('regId'), name, day, ahead),
    [`${name}High`]: whole(0, 2, question.text('regId'), name, day, ahead, 'high'),
  });
  return Object.assign(
    {},
    ...[4, 5, 6, 7, 8, 9, 10].map((ahead) => {
      const { low, high } = temperaturesOfDay(placeOf(question), day + ahead * DAY);
      return {
        [`taMin${ahead}`]: Math.round(low),
        [`taMax${ahead}`]: Math.round(high),
        ...range(`taMin${ahead}`, ahead),
        ...range(`taMax${ahead}`, ahead),
      };
    }),
  );
}

/** The forecasts of the weather agency for days 4 to 10. */
export const MID_FORECAST: AnswerRules = {
  kma_mid_land_forecast: perIssue(landRow),
  kma_mid_temperature: perIssue(temperatureRow),
};
