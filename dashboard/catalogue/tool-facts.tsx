import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ToolDetails } from '../playground/run-tool.ts';
import { Hint } from '../shared/page.tsx';
import classes from './tool-page.module.css';

/** Who provides the data, under which terms, and what the gateway needs and does to get it. */
export function ToolFacts({ tool }: { readonly tool: ToolDetails }) {
  const { t, i18n } = useTranslation('catalogue');
  const cacheTime = useCacheTime();
  const { server, cacheTtlSeconds: ttl, quota, personal } = tool;
  return (
    <dl className={classes.facts}>
      <Fact label={t('facts.provider')}>
        {server.name}
        {server.documentation && (
          <div>
            <Outside href={server.documentation}>{t('facts.documentation')}</Outside>
          </div>
        )}
      </Fact>
      <Fact label={t('facts.secret')}>
        <Secrets secrets={tool.secrets} />
      </Fact>
      <Fact label={t('facts.cache')}>
        {ttl === 0 ? t('facts.notCached') : t('facts.cachedFor', { time: cacheTime(ttl) })}
      </Fact>
      {quota && (
        <Fact label={t('facts.quota')}>
          {t(`facts.quotaOf.${quota.scope}`, { calls: quota.calls.toLocaleString(i18n.language) })}
        </Fact>
      )}
      <Fact label={t('facts.request')}>
        <Text size="sm" ff="monospace" component="span">
          {tool.method} {tool.path}
        </Text>
      </Fact>
      {(server.license || server.termsOfService) && (
        <Fact label={t('facts.license')}>
          {server.license}
          {server.termsOfService && (
            <div>
              <Outside href={server.termsOfService}>{t('facts.terms')}</Outside>
            </div>
          )}
        </Fact>
      )}
      {personal.length > 0 && (
        <Fact label={t('facts.personal')}>
          {t('facts.personalNote', { names: personal.join(', ') })}
        </Fact>
      )}
      {server.description && (
        <Fact label={t('facts.description')} isWide>
          {server.description}
        </Fact>
      )}
    </dl>
  );
}

interface FactProps {
  readonly label: string;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

const Fact = ({ label, isWide = false, children }: FactProps) => (
  <div className={isWide ? classes.wide : undefined}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

/** A page of somebody else: it learns nothing of this one. */
const Outside = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => (
  <Anchor href={href} target="_blank" rel="noopener noreferrer" size="sm">
    {children}
  </Anchor>
);

function Secrets({ secrets }: Pick<ToolDetails, 'secrets'>) {
  const { t } = useTranslation('catalogue');
  if (secrets.length === 0) return t('facts.noSecret');
  return secrets.map(({ name, description, isSet }) => (
    <div key={name}>
      {t(stateOf(isSet), { name })}
      {description && <Hint size="xs">{description}</Hint>}
    </div>
  ));
}

function stateOf(isSet: boolean | null) {
  if (isSet === null) return 'facts.secretNeeded';
  return isSet ? 'facts.secretSet' : 'facts.secretMissing';
}

const UNITS = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
] as const;

/** Writes a time to live in the largest unit that divides it. */
function useCacheTime(): (seconds: number) => string {
  const { t } = useTranslation('catalogue');
  return (seconds) => {
    const [unit, size] = UNITS.find(([, length]) => seconds % length === 0) ?? ['seconds', 1];
    return t(`facts.${unit}`, { count: seconds / size });
  };
}
