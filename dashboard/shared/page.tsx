import {
  Alert,
  Breadcrumbs,
  Button,
  Group,
  Paper,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from '@mantine/core';
import { IconAlertTriangle, IconError404, type IconProps } from '@tabler/icons-react';
import { type LinkProps, useRouterState } from '@tanstack/react-router';
import {
  type ComponentType,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
} from 'react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { LinkAnchor, LinkButton } from './buttons.tsx';

export interface PageHeaderProps {
  /** Also the title of the document. */
  readonly title: string;
  readonly description?: ReactNode;
  /** The pages above this one, which links above the title lead to. */
  readonly breadcrumbs?: readonly (Pick<LinkProps, 'to' | 'search'> & { readonly label: string })[];
  /** Beside the title, such as a badge. */
  readonly aside?: ReactNode;
  /** Buttons for what can be done on this page. */
  readonly actions?: ReactNode;
}

/** The head of every page. Its heading receives the focus when the page has been navigated to. */
export function PageHeader({ title, description, breadcrumbs, aside, actions }: PageHeaderProps) {
  const { t } = useTranslation();
  const { t: shared } = useTranslation('shared');
  const heading = useHeadingFocus();
  const product = t('product');
  return (
    <Stack component="header" gap={4} mb="lg">
      <title>{title === product ? product : `${title} · ${product}`}</title>
      {breadcrumbs && (
        <Breadcrumbs component="nav" aria-label={shared('crumbs')}>
          {breadcrumbs.map(({ label, ...link }) => (
            <LinkAnchor key={label} {...link} size="sm">
              {label}
            </LinkAnchor>
          ))}
        </Breadcrumbs>
      )}
      <Group justify="space-between" gap="sm" mih="2.25rem">
        <Group gap="sm" miw={0}>
          <Title order={1} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {aside}
        </Group>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {description && (
        <Hint maw="46rem" component="div">
          {description}
        </Hint>
      )}
    </Stack>
  );
}

/** The path whose heading was last shown. On the first page, the focus stays where the browser puts it. */
let shownPath: string | null = null;
/** Whether that page was navigated to, so that its heading has received the focus. */
let isNavigated = false;

/** A dialog that led here gives up the focus only after it has closed. */
const AFTER_DIALOG_MS = 60;

/** A heading that receives the focus when its page has been navigated to, so that screen readers announce it. */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => {
    if (path === undefined) return;
    const focus = () => heading.current?.focus({ preventScroll: true });
    const focusIfLost = () => document.activeElement === document.body && focus();
    if (path === shownPath) {
      // The heading of a page that was being loaded has been replaced by the heading of the loaded page.
      if (isNavigated) focusIfLost();
      return;
    }
    isNavigated = shownPath !== null;
    shownPath = path;
    if (!isNavigated) return;
    focus();
    setTimeout(focusIfLost, AFTER_DIALOG_MS);
  }, [path]);
  return heading;
}

/** What is said beside, smaller and paler. */
export const Hint = Text.withProps({ size: 'sm', c: 'dimmed' });

interface SectionProps {
  readonly title: string;
  readonly note?: string;
  readonly children: ReactNode;
}

/** A part of a page under its own heading. */
export function Section({ title, note, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb={note ? 2 : 'xs'}>
        {title}
      </Title>
      {note && <Hint mb="xs">{note}</Hint>}
      {children}
    </section>
  );
}

interface PanelProps extends Omit<SectionProps, 'note'> {
  readonly description?: string;
  readonly actions?: ReactNode;
}

/** One topic of a page, in a frame of its own. */
export const Panel = ({ title, description, actions, children }: PanelProps) => (
  <Paper component="section" aria-label={title} withBorder p={{ base: 'md', sm: 'lg' }} radius="lg">
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {description && <Hint maw="44rem">{description}</Hint>}
        </div>
        {actions}
      </Group>
      {children}
    </Stack>
  </Paper>
);

interface EmptyStateProps {
  readonly icon: ComponentType<IconProps>;
  /** What is empty. */
  readonly title: string;
  /** What to do about it. */
  readonly text?: ReactNode;
  readonly action?: ReactNode;
}

/** In place of a list without rows. */
export const EmptyState = ({ icon: Icon, title, text, action }: EmptyStateProps) => (
  <Stack align="center" gap={4} px="md" py="clamp(2rem, 8vh, 5rem)" ta="center">
    <ThemeIcon size={56} radius="xl" variant="light" mb={8}>
      <Icon size={28} stroke={1.4} aria-hidden />
    </ThemeIcon>
    <Text fw={600}>{title}</Text>
    {text && (
      <Hint maw="32rem" component="div">
        {text}
      </Hint>
    )}
    {action && <Group mt="md">{action}</Group>}
  </Stack>
);

/** For an address without a page, and for a page whose subject has been deleted. */
export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t('notFound.title')} />
      <EmptyState
        icon={IconError404}
        title={t('notFound.text')}
        action={
          <LinkButton to="/admin" variant="light">
            {t('notFound.back')}
          </LinkButton>
        }
      />
    </>
  );
}

/** Between the parts of a path to a text; no sentence has it. */
const SEPARATOR = '\n';

interface ErrorMessageProps {
  /** Of docs/errors.md. */
  readonly code: string | undefined;
  /** The gateway's own words, which are English. */
  readonly message: string | undefined;
}

/**
 * What went wrong: in other languages, a common sentence in that language; else what the code means, before the
 * gateway's own words.
 */
export function ErrorMessage({ code, message }: ErrorMessageProps) {
  const { i18n } = useTranslation('shared');
  const path = ['error', 'sentence', message].join(SEPARATOR);
  const sentence = i18n.getResource(i18n.language, 'shared', path, { keySeparator: SEPARATOR });
  if (typeof sentence === 'string') return sentence;
  const key = `shared:error.code.${code}`;
  if (!i18n.exists(key)) return message;
  return (
    <>
      {i18n.t(key as never)}
      <Hint component="span" display="block" lang="en">
        {message}
      </Hint>
    </>
  );
}

interface ErrorAlertProps {
  readonly error: Error;
  /** Offers to try again. */
  readonly onRetry?: (() => unknown) | undefined;
}

/** Says what went wrong, in the gateway's own words, with the request id that its log has. */
export function ErrorAlert({ error, onRetry }: ErrorAlertProps) {
  const { t } = useTranslation('shared');
  const refusal = error instanceof AdminError ? error : null;
  const isUnreachable = refusal?.status === 0;
  const requestId = refusal?.requestId;
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />}>
      <Group justify="space-between" gap="sm" wrap="wrap">
        <Stack gap={2} flex={1} miw={200}>
          <Text size="sm" component="div">
            {isUnreachable ? (
              t('error.unreachable')
            ) : (
              <ErrorMessage code={refusal?.code} message={error.message} />
            )}
          </Text>
          {requestId && <Hint size="xs">{t('error.request', { requestId })}</Hint>}
        </Stack>
        {onRetry && (
          <Button size="xs" variant="default" onClick={() => onRetry()}>
            {t('error.retry')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
