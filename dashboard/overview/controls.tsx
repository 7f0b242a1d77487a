import { NativeSelect, SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import classes from './overview.module.css';
import { GROUPINGS, type OverviewSearch, RANGES } from './overview-search.ts';

interface ControlsProps {
  readonly search: Required<Pick<OverviewSearch, 'range' | 'by'>> & Pick<OverviewSearch, 'scope'>;
  /** The tenant in use, if the person may also see all tenants. */
  readonly tenantName: string | null;
}

/** Choose the period, the grouping and, as an operator, whose calls. Kept in the address. */
export function Controls({ search, tenantName }: ControlsProps) {
  const { t } = useTranslation('overview');
  const navigate = useNavigate();
  const change = (changed: OverviewSearch | { readonly scope: undefined }) =>
    void navigate({
      to: '/admin/overview',
      search: (current) => ({ ...current, ...changed }) as never,
      replace: true,
    });
  return (
    <div className={classes.controls}>
      {tenantName !== null && (
        <SegmentedControl
          aria-label={t('controls.scope')}
          value={search.scope ?? 'tenant'}
          onChange={(value) => change({ scope: value === 'all' ? 'all' : undefined })}
          data={[
            { value: 'tenant', label: tenantName },
            { value: 'all', label: t('controls.all') },
          ]}
        />
      )}
      <NativeSelect
        label={t('controls.range')}
        value={search.range}
        onChange={({ currentTarget }) =>
          change({ range: RANGES.find((range) => range === currentTarget.value) ?? '24h' })
        }
        data={RANGES.map((value) => ({ value, label: t(`ranges.${value}`) }))}
      />
      <NativeSelect
        label={t('controls.by')}
        value={search.by}
        onChange={({ currentTarget }) =>
          change({ by: GROUPINGS.find((by) => by === currentTarget.value) ?? 'none' })
        }
        data={GROUPINGS.filter((by) => by !== 'tenant' || search.scope === 'all').map((value) => ({
          value,
          label: t(`groupings.${value}`),
        }))}
      />
    </div>
  );
}
