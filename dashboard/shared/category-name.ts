import { useTranslation } from 'react-i18next';

/** The categories of the shipped presets, and the one of APIs that a tenant registers without any. */
const KNOWN = ['weather', 'economy', 'culture', 'registered'] as const;

type Known = (typeof KNOWN)[number];

const isKnown = (name: string): name is Known => KNOWN.some((known) => known === name);

const CATEGORY = 'category:';

/** Writes an entry of a list of allowed tools: a category by its name, a pattern or a tool as it is. */
export function useEntryName(): (entry: string) => string {
  const nameOf = useCategoryName();
  return (entry) => (entry.startsWith(CATEGORY) ? nameOf(entry.slice(CATEGORY.length)) : entry);
}

/** Writes the name of a category: a known one in the language in use, others as tenants wrote them. */
export function useCategoryName(): (name: string) => string {
  const { t } = useTranslation('shared');
  return (name) =>
    isKnown(name)
      ? t(`category.${name}`)
      : `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`;
}
