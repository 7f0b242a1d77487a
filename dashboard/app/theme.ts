import {
  Button,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  NavLink,
  Tooltip,
} from '@mantine/core';
import i18next from 'i18next';

/** The colour of the product: the green glaze of Korean stoneware. Shade 7 has 6.3:1 against white. */
const celadon: MantineColorsTuple = [
  '#eefaf6',
  '#d8f2e9',
  '#b2e4d5',
  '#84d2ba',
  '#57bfa1',
  '#2fa487',
  '#188270',
  '#0f6b5b',
  '#0c564a',
  '#08403a',
];

/** Shade 6 is the dimmed text of light pages: 5.7:1 against white. */
const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#eef1f4',
  '#e2e6eb',
  '#d0d6dd',
  '#b4bcc7',
  '#8a95a3',
  '#5d6875',
  '#47505c',
  '#323a44',
  '#1f252d',
];

/** Shade 0 is the text of dark pages, shade 2 its dimmed text, shade 7 the page. */
const dark: MantineColorsTuple = [
  '#dde2e9',
  '#b6bfca',
  '#95a0af',
  '#6c7787',
  '#3b4452',
  '#2c3440',
  '#1e242d',
  '#14181f',
  '#0f1318',
  '#0a0d11',
];

export const theme = createTheme({
  primaryColor: 'celadon',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  colors: { celadon, gray, dark },
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans KR", "Noto Sans CJK KR", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "D2Coding", "Noto Sans Mono CJK KR", monospace',
  headings: {
    fontWeight: '650',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.125rem', lineHeight: '1.4' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({
      // The usual button is white on the primary colour, which is too light for that on dark pages.
      vars: (_, { color, variant }) => ({
        root: color || variant ? {} : { '--button-color': 'var(--mantine-primary-color-contrast)' },
      }),
    }),
    NavLink: NavLink.extend({ defaultProps: { noWrap: true } }),
    PasswordInput: {
      defaultProps: {
        visibilityToggleButtonProps: {
          get 'aria-label'() {
            return i18next.t('showPassword');
          },
        },
      },
    },
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true, openDelay: 300, multiline: true } }),
  },
});

/** On a tint of its own colour, text needs its darkest shade. */
const lightText = (): Record<string, string> =>
  Object.fromEntries(
    ['red', 'teal', 'green', 'yellow', 'orange', 'blue'].map((colour) => [
      `--mantine-color-${colour}-light-color`,
      `color-mix(in srgb, var(--mantine-color-${colour}-9), black 35%)`,
    ]),
  );

/** Colours that Mantine's own choice would leave below 4.5:1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...lightText(),
    '--mantine-color-text': gray[9],
    '--mantine-color-placeholder': gray[6],
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--page-raised': '#fff',
    '--page-sunken': gray[0],
    '--page-line': gray[2],
  },
  dark: {
    '--mantine-color-celadon-light': 'rgba(87, 191, 161, 0.14)',
    '--mantine-color-celadon-light-hover': 'rgba(87, 191, 161, 0.2)',
    '--mantine-color-celadon-light-color': celadon[2],
    '--mantine-color-placeholder': dark[2],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    '--page-raised': dark[6],
    '--page-sunken': dark[8],
    '--page-line': dark[5],
  },
});
