import { useTranslation } from 'react-i18next';

const UNITS = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const;

/** Writes a time to live in the largest unit that divides it. */
export function useCacheTime(): (seconds: number) => string {
  const { t } = useTranslation('catalogue');
  return (seconds) => {
    const [unit, size] = UNITS.find(([, length]) => seconds % length === 0) ?? ['seconds', 1];
    return t(`facts.${unit}`, { count: seconds / size });
  };
}
