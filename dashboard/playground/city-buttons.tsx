import { UnstyledButton } from '@mantine/core';
import { useLanguage } from '../app/texts/use-language.ts';
import classes from './place-map.module.css';
import type { Place } from './place-picker.tsx';

interface City extends Place {
  readonly en: string;
  readonly ko: string;
}

const KOREAN: readonly City[] = [
  { en: 'Seoul', ko: '서울', latitude: 37.5665, longitude: 126.978 },
  { en: 'Incheon', ko: '인천', latitude: 37.4563, longitude: 126.7052 },
  { en: 'Gangneung', ko: '강릉', latitude: 37.7519, longitude: 128.8761 },
  { en: 'Daejeon', ko: '대전', latitude: 36.3504, longitude: 127.3845 },
  { en: 'Daegu', ko: '대구', latitude: 35.8714, longitude: 128.6014 },
  { en: 'Gwangju', ko: '광주', latitude: 35.1595, longitude: 126.8526 },
  { en: 'Busan', ko: '부산', latitude: 35.1796, longitude: 129.0756 },
  { en: 'Jeju', ko: '제주', latitude: 33.4996, longitude: 126.5312 },
];

const WORLD: readonly City[] = [
  { en: 'Seoul', ko: '서울', latitude: 37.5665, longitude: 126.978 },
  { en: 'Tokyo', ko: '도쿄', latitude: 35.6764, longitude: 139.65 },
  { en: 'London', ko: '런던', latitude: 51.5074, longitude: -0.1278 },
  { en: 'New York', ko: '뉴욕', latitude: 40.7128, longitude: -74.006 },
  { en: 'São Paulo', ko: '상파울루', latitude: -23.5558, longitude: -46.6396 },
  { en: 'Nairobi', ko: '나이로비', latitude: -1.2864, longitude: 36.8172 },
  { en: 'Sydney', ko: '시드니', latitude: -33.8688, longitude: 151.2093 },
];

interface CityButtonsProps {
  readonly isWorld: boolean;
  readonly onChoose: (place: Place) => void;
}

/** Places by name, for those who cannot point at them. */
export function CityButtons({ isWorld, onChoose }: CityButtonsProps) {
  const language = useLanguage();
  return (
    <div className={classes.cities}>
      {(isWorld ? WORLD : KOREAN).map((city) => (
        <UnstyledButton key={city.en} className={classes.city} onClick={() => onChoose(city)}>
          {city[language]}
        </UnstyledButton>
      ))}
    </div>
  );
}
