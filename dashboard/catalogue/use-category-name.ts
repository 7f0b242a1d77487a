import { useTranslation } from 'react-i18next';

/** The categories of the shipped presets. */
const KNOWN = ['weather', 'economy', 'culture'] as const;

type Known = (typeof KNOWN)[number];

const isKnown = (name: string): name is Known => KNOWN.some((known) => known === name);

/** Writes the name of a category: those of the presets in the language in use, others as tenants wrote them. */
export function useCategoryName(): (name: string) => string {
  const { t } = useTranslation('catalogue');
  return (name) =>
    isKnown(name)
      ? t(`categories.${name}`)
      : `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`;
}
