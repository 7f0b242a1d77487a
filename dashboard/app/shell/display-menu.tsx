import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconLanguage, IconMoon, IconSun, IconSunMoon } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isLanguage, LANGUAGES, useLanguage } from '../../texts/language.ts';
import { switchLanguage } from '../texts/start-texts.ts';

const COLOURS = { light: IconSun, dark: IconMoon, auto: IconSunMoon } as const;

/** Language and colours of this device. */
export function DisplayMenu() {
  const { t } = useTranslation();
  return (
    <Menu position="bottom-end" width={220} closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={`${t('language.label')}, ${t('colours.label')}`}
        >
          <IconLanguage size={20} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('language.label')}</Menu.Label>
        <LanguageItems />
        <Menu.Divider />
        <Menu.Label>{t('colours.label')}</Menu.Label>
        <ColourItems />
      </Menu.Dropdown>
    </Menu>
  );
}

const CHECK = <IconCheck size={16} aria-hidden />;

function LanguageItems() {
  const inUse = useLanguage();
  return Object.entries(LANGUAGES).map(([language, name]) => (
    <Menu.Item
      key={language}
      lang={language}
      role="menuitemradio"
      aria-checked={language === inUse}
      onClick={() => isLanguage(language) && void switchLanguage(language)}
      rightSection={language === inUse && CHECK}
    >
      {name}
    </Menu.Item>
  ));
}

function ColourItems() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (['light', 'dark', 'auto'] as const).map((scheme) => {
    const Icon = COLOURS[scheme];
    return (
      <Menu.Item
        key={scheme}
        role="menuitemradio"
        aria-checked={scheme === colorScheme}
        onClick={() => setColorScheme(scheme)}
        leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
        rightSection={scheme === colorScheme && CHECK}
      >
        {t(`colours.${scheme}`)}
      </Menu.Item>
    );
  });
}
