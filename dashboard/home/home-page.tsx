import { Box, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/call-admin.ts';
import { suggestionsQuery, type ToolCard } from '../catalogue/catalogue-queries.ts';
import { ToolGrid } from '../catalogue/tool-grid.tsx';
import { homeQuery } from '../session/session.ts';
import { LinkAnchor, LinkButton } from '../shared/buttons.tsx';
import { useCategoryName } from '../shared/category-name.ts';
import { CodeBlock } from '../shared/code-block.tsx';
import { curlCommand } from '../shared/curl.ts';
import { Facts } from '../shared/facts.tsx';
import { ErrorAlert, Hint, Section, useHeadingFocus } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './home-page.module.css';

/** What a visitor sees: what this gateway is, what it offers, and how to get a key. */
export function HomePage() {
  const { t } = useTranslation('home');
  const heading = useHeadingFocus();
  const { data: home, error, refetch } = useQuery(homeQuery);
  return (
    <Stack gap="clamp(2rem, 6vw, 4rem)">
      <title>{t('title')}</title>
      <section>
        <div className={classes.hero}>
          <div>
            <Title order={1} ref={heading} tabIndex={-1} className={classes.claim}>
              {t('claim')}
            </Title>
            <Text maw="42rem" mt="sm" c="dimmed" size="lg">
              {t('lead')}
            </Text>
            <Group gap="sm" mt="lg">
              <LinkButton to="/admin/catalogue">{t('browse')}</LinkButton>
              <LinkButton to="/admin/sign-in" variant="default">
                {t('toSignIn')}
              </LinkButton>
            </Group>
          </div>
          <CodeBlock label={t('example')} code={EXAMPLE} />
        </div>
        {error ? <ErrorAlert error={error} onRetry={refetch} /> : <LiveFigures home={home} />}
      </section>
      <Section title={t('find.title')}>
        <FindTool />
      </Section>
      <Connect home={home} />
      <Steps gatewayUrl={addressOf(home)} />
    </Stack>
  );
}

interface HomeProps {
  /** Undefined while it is loaded. */
  readonly home: AdminAnswer<'GET /home'> | undefined;
}

const addressOf = (home: HomeProps['home']): string =>
  (home?.gatewayUrl ?? window.location.origin).replace(/\/+$/, '');

const EXAMPLE = `→ frankfurter_rates
  { "base": "USD", "quotes": "KRW" }

← { "date": "2026-11-20", "base": "USD",
    "quote": "KRW", "rate": 1463.21 }
  MISS, 84 ms upstream

→ frankfurter_rates
  { "base": "USD", "quotes": "KRW" }

← HIT, 0.4 ms`;

/** The address, and what else a host needs. */
function Connect({ home }: HomeProps) {
  const { t } = useTranslation('home');
  const note = t(home?.canSignIn === false ? 'connect.key' : 'connect.signIn');
  return (
    <Section title={t('connect.title')} note={note}>
      <Box maw="40rem">
        <CodeBlock label={t('connect.address')} code={`${addressOf(home)}/mcp`} />
      </Box>
    </Section>
  );
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

const STEPS = ['join', 'create', 'call'] as const;

function Steps({ gatewayUrl }: { readonly gatewayUrl: string }) {
  const { t } = useTranslation('home');
  return (
    <section aria-labelledby="key" className={classes.key}>
      <div>
        <Title order={2} id="key" mb="sm">
          {t('key.title')}
        </Title>
        <Stack component="ol" gap="md" m={0} ps="1.5rem" className={classes.steps}>
          {STEPS.map((step) => (
            <li key={step}>
              <Text fw={600}>{t(`key.${step}.title`)}</Text>
              <Hint>{t(`key.${step}.text`)}</Hint>
            </li>
          ))}
        </Stack>
      </div>
      <CodeBlock label={t('key.example')} code={curlCommand(gatewayUrl, LIST)} />
    </section>
  );
}

/** What this gateway offers right now. */
function LiveFigures({ home }: HomeProps) {
  const { t } = useTranslation('home');
  const { count } = useFormat();
  const nameOf = useCategoryName();
  if (!home) return <Skeleton height={64} mt="xl" />;
  return (
    <Box className={classes.figures}>
      <Facts
        look="figures"
        facts={{
          [t('figures.tools')]: count(home.tools),
          [t('figures.apis')]: count(home.servers),
          ...Object.fromEntries(
            home.categories.map(({ name, tools }) => [nameOf(name), count(tools)]),
          ),
        }}
      />
    </Box>
  );
}

const DEBOUNCE_MS = 200;
const SHOWN = 6;
/** Tools from which those that are shown without words are picked. */
const ALL = 100;
const MAX_WORDS = 200;

/** A search over the public tools, with the best of them. */
function FindTool() {
  const { t } = useTranslation('home');
  const [text, setText] = useState('');
  const [words] = useDebouncedValue(text.trim(), DEBOUNCE_MS);
  const found = useQuery({
    ...suggestionsQuery(null, words, words ? SHOWN : ALL),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <search>
        <TextInput
          maw="40rem"
          mb="md"
          size="md"
          type="search"
          value={text}
          maxLength={MAX_WORDS}
          onChange={({ currentTarget: { value } }) => setText(value)}
          aria-label={t('find.label')}
          placeholder={t('find.placeholder')}
          leftSection={<IconSearch size={18} stroke={1.6} aria-hidden />}
        />
      </search>
      <ToolGrid
        tools={found.data && pickOfEach(found.data.tools)}
        isRanked
        empty={t('find.nothing')}
      />
      {found.data && found.data.total > SHOWN && (
        <LinkAnchor
          to="/admin/catalogue"
          search={words ? { q: words } : {}}
          size="sm"
          display="inline-block"
          mt="sm"
        >
          {t('find.all', { count: found.data.total })}
        </LinkAnchor>
      )}
    </>
  );
}

/** The first tools as they are ranked; of a longer list, the same number of each category. */
function pickOfEach(tools: readonly ToolCard[]): readonly ToolCard[] {
  if (tools.length <= SHOWN) return tools;
  const categories = [...Map.groupBy(tools, ({ category }) => category).values()];
  const each = Math.ceil(SHOWN / categories.length);
  return categories.flatMap((group) => group.slice(0, each)).slice(0, SHOWN);
}
