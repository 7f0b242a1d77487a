import { Button, Menu, Text } from '@mantine/core';
import { IconBuilding, IconCheck, IconChevronDown } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { rememberTenant, usePerson, useTenantInUse } from '../../session/session.ts';
import { Hint } from '../../shared/page.tsx';

/** Changes the tenant in use. The page stays, and shows the other tenant. */
export function TenantChooser() {
  const { t } = useTranslation();
  const inUse = useTenantInUse();
  const person = usePerson();
  const choose = useChooseTenant();
  if (!inUse) return null;
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          fz="sm"
          miw={0}
          leftSection={<IconBuilding size={16} stroke={1.6} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          aria-label={`${t('tenant.label')}: ${inUse.name}`}
        >
          <Text span inherit truncate maw="12rem">
            {inUse.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('tenant.choose')}</Menu.Label>
        {person?.memberships.map(({ tenantSlug, tenantName, role }) => (
          <Menu.Item
            key={tenantSlug}
            onClick={() => choose(tenantSlug)}
            leftSection={<Check isShown={tenantSlug === inUse.slug} />}
            rightSection={<Hint size="xs">{t(`tenant.${role}`)}</Hint>}
          >
            {tenantName}
          </Menu.Item>
        ))}
        {person?.isOperator && (
          <Menu.Item
            component={Link}
            to="/admin/settings/tenants"
            leftSection={<Check isShown={false} />}
          >
            {t('tenant.all')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

const Check = ({ isShown }: { readonly isShown: boolean }) => (
  <IconCheck size={16} aria-hidden visibility={isShown ? 'visible' : 'hidden'} />
);

/** Puts another tenant in use on the same page. */
export function useChooseTenant(): (slug: string) => void {
  const navigate = useNavigate();
  return (slug) => {
    rememberTenant(slug);
    // Everything else in the address, such as filters, belongs to the tenant before.
    void navigate({ to: '.', search: { tenant: slug } });
  };
}
