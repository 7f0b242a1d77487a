import { useTranslation } from 'react-i18next';
import type { AdminAction } from '../../src/access/trail/admin-trail.ts';

/** What the trail's actions are called; one that the dashboard does not know keeps its name. */
export function useActionName(): (action: string) => string {
  const { t, i18n } = useTranslation('shared');
  return (action) =>
    i18n.exists(`shared:action.${action}`) ? t(`action.${action as AdminAction}`) : action;
}

/** Every action with a text, in the order of the texts. */
export function useActions(): string[] {
  const { t } = useTranslation('shared');
  return Object.entries(t('action', { returnObjects: true })).flatMap(([subject, names]) =>
    Object.keys(names).map((name) => `${subject}.${name}`),
  );
}
