import { Badge, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Marks data that the sandbox has made up. */
export function SampleBadge() {
  const { t } = useTranslation('shared');
  return (
    <Tooltip label={t('sample.hint')} w={240}>
      <Badge variant="default" tt="none">
        {t('sample.label')}
      </Badge>
    </Tooltip>
  );
}
