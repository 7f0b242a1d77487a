import { Accordion, Stack } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '../shared/code-block.tsx';
import { commandLine, restRequest } from './audit-commands.ts';
import type { AuditFilterInput } from './audit-search.ts';

interface QueryCodeProps {
  readonly tenant: string;
  readonly filter: AuditFilterInput;
}

/** The query of the page, to repeat it outside the dashboard. */
export function QueryCode({ tenant, filter }: QueryCodeProps) {
  const { t } = useTranslation('audit');
  return (
    <Accordion variant="contained" chevronPosition="left">
      <Accordion.Item value="code">
        <Accordion.Control icon={<IconTerminal2 size={18} aria-hidden />}>
          {t('code.title')}
        </Accordion.Control>
        <Accordion.Panel>
          <Stack gap="sm">
            <CodeBlock label={t('code.commandLine')} code={commandLine(tenant, filter)} />
            <CodeBlock label={t('code.rest')} code={restRequest(window.location.origin, filter)} />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
