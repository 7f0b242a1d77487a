import { Anchor, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../shared/code-block.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { LinkButton } from '../shared/link-button.tsx';
import { useHeadingFocus } from '../shared/use-heading-focus.ts';
import { FindTool } from './find-tool.tsx';
import classes from './home-page.module.css';
import { homeQuery } from './home-query.ts';
import { LiveFigures } from './live-figures.tsx';

/** What a visitor sees: what this gateway is, what it offers, and how to get a key. */
export function HomePage() {
  const { t } = useTranslation('home');
  const heading = useHeadingFocus();
  const { data: home, error, refetch } = useQuery(homeQuery);
  return (
    <div className={classes.root}>
      <title>{t('title')}</title>
      <section>
        <div className={classes.hero}>
          <div>
            <Title order={1} ref={heading} tabIndex={-1} className={classes.claim}>
              {t('claim')}
            </Title>
            <Text className={classes.lead}>{t('lead')}</Text>
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
      <section aria-labelledby="find">
        <Title order={2} id="find" mb="sm">
          {t('find.title')}
        </Title>
        <FindTool />
      </section>
      <Steps gatewayUrl={home?.gatewayUrl ?? window.location.origin} />
      <footer className={classes.footer}>
        <Text size="sm" c="dimmed">
          {t('title')} {home?.version}
        </Text>
        <Anchor href="/docs/" size="sm">
          {t('reference')}
        </Anchor>
        <Anchor href="/openapi.json" size="sm">
          OpenAPI
        </Anchor>
      </footer>
    </div>
  );
}

const EXAMPLE = `→ frankfurter_rates
  { "base": "USD", "quotes": "KRW" }

← { "date": "2026-11-20", "base": "USD",
    "quote": "KRW", "rate": 1463.21 }
  MISS, 84 ms upstream

→ frankfurter_rates
  { "base": "USD", "quotes": "KRW" }

← HIT, 0.4 ms`;

const STEPS = ['join', 'create', 'call'] as const;

function Steps({ gatewayUrl }: { readonly gatewayUrl: string }) {
  const { t } = useTranslation('home');
  return (
    <section aria-labelledby="key" className={classes.key}>
      <div>
        <Title order={2} id="key" mb="sm">
          {t('key.title')}
        </Title>
        <ol className={classes.steps}>
          {STEPS.map((step) => (
            <li key={step}>
              <Text fw={600}>{t(`key.${step}.title`)}</Text>
              <Text size="sm" c="dimmed">
                {t(`key.${step}.text`)}
              </Text>
            </li>
          ))}
        </ol>
      </div>
      <CodeBlock label={t('key.example')} code={listTools(gatewayUrl)} />
    </section>
  );
}

const listTools = (gatewayUrl: string): string =>
  [
    `curl -s '${gatewayUrl.replace(/\/$/, '')}/mcp'`,
    "-H 'x-api-key: YOUR_API_KEY'",
    "-H 'content-type: application/json'",
    `-d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
  ].join(' \\\n  ');
