import { HOUR, type KoreanTime, startOfDay } from '../../../public-data/korean-time.ts';
import { type AirStation, airStations } from '../../facts/places.ts';
import type { AnswerRules } from '../answer-rule.ts';
import { whole } from '../noise.ts';
import type { Question } from '../question.ts';
import { type Row, type Rows, repeated } from '../rows.ts';
import { printTime } from '../times.ts';
import { airAt } from './air-model.ts';

/** 1 good to 4 very bad, by the upper limits of the first three grades. */
const grade = (value: number, limits: readonly [number, number, number]): string =>
  String(1 + limits.filter((limit) => value > limit).length);

/** Midnight is written as 24:00 of the day that ends. */
const hourText = (time: KoreanTime): string =>
  time === startOfDay(time)
    ? printTime(time - HOUR, 'YYYY-MM-DD 24:00')
    : printTime(time, 'YYYY-MM-DD HH:mm');

function measuredRow(station: AirStation, time: KoreanTime): Row {
  const air = airAt(`${station.province}:${station.name}`, time);
  const index = Math.round(Math.max(air.pm25 * 2.6, air.pm10 * 1.4));
  return {
    sidoName: station.province,
    stationName: station.name,
    dataTime: hourText(time),
    pm10Value: String(Math.round(air.pm10)),
    pm10Grade: grade(air.pm10, [30, 80, 150]),
    pm25Value: String(Math.round(air.pm25)),
    pm25Grade: grade(air.pm25, [15, 35, 75]),
    o3Value: air.ozone.toFixed(3),
    o3Grade: grade(air.ozone, [0.03, 0.09, 0.15]),
    no2Value: air.nitrogenDioxide.toFixed(3),
    no2Grade: grade(air.nitrogenDioxide, [0.03, 0.06, 0.2]),
    coValue: air.carbonMonoxide.toFixed(1),
    so2Value: air.sulphurDioxide.toFixed(3),
    khaiValue: String(index),
    khaiGrade: grade(index, [50, 100, 250]),
  };
}

function measurements(question: Question): Rows {
  const province = question.text('sidoName');
  const found = airStations().filter((each) => province === '전국' || each.province === province);
  const time = Math.floor(question.now / HOUR) * HOUR;
  return repeated(found.length, (index) => measuredRow(found[index] as AirStation, time));
}

/** The stations whose province is named in the asked part of an address, and with the asked name. */
function stations(question: Question): Rows {
  const [addr, name] = [question.text('addr'), question.text('stationName')];
  const [province = '', rest = ''] = addr.trim().split(/\s+/);
  const found = airStations().filter(
    (station) =>
      (province === '' ||
        province.startsWith(station.province) ||
        station.name.includes(province)) &&
      (rest === '' || station.name.includes(rest) || rest.includes(station.name)) &&
      (name === '' || station.name.includes(name)),
  );
  return repeated(found.length, (index) => {
    const station = found[index] as AirStation;
    return {
      stationName: station.name,
      stationCode: String(whole(111_000, 999_999, station.province, station.name)),
      addr: `${station.province} ${rest} ${station.name}`.replace(/\s+/g, ' '),
      dmX: station.longitude.toFixed(6),
      dmY: station.latitude.toFixed(6),
    };
  });
}

/** The air quality that AirKorea measures. */
export const AIR: AnswerRules = {
  airkorea_sido_realtime: { rows: measurements },
  airkorea_stations: { rows: stations },
};
