import { Button, Code, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Hint } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { readEvidence } from './evidence.ts';
import type { Api, Operation } from './queries.ts';

export type ApiTool = Api['tools'][number];
type ToolRows = NonNullable<ApiTool['rows']>;
type Place = NonNullable<Operation['rows']>;

interface RowFactsProps {
  readonly tool: ApiTool;
  /** Absent for those who may not change it. */
  readonly onCorrect?: (() => void) | undefined;
}

/** Where the rows of a tool are, how one page leads to the next, and why. */
export function RowFacts({ tool: { name, rows }, onCorrect }: RowFactsProps) {
  const { t } = useTranslation('apis');
  return (
    <Stack gap={2} miw={0} align="flex-start">
      {rows ? <Found rows={rows} /> : <Hint size="xs">{t('rows.unknown')}</Hint>}
      {onCorrect && (
        <Button
          size="compact-xs"
          variant="subtle"
          ml={-6}
          aria-label={t('rows.correctOf', { tool: name })}
          onClick={onCorrect}
        >
          {t('rows.correct')}
        </Button>
      )}
    </Stack>
  );
}

function Found({ rows }: { readonly rows: ToolRows }) {
  return (
    <>
      <RowPhrase rows={rows} />
      <Hint size="xs">
        <Reason rows={rows} />
      </Hint>
    </>
  );
}

/** One short phrase: where the rows and their total are, and what leads to the next page. */
export function RowPhrase({ rows }: { readonly rows: Place }) {
  const { t } = useTranslation('apis');
  const { items, total, paging } = rows;
  const leading = leadingOn(rows);
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {items === '' ? t('rows.root') : <Code fz="xs">{items}</Code>}
      {total !== null && <Part label={t('rows.total')} code={total} />}
      {leading !== undefined && <Part label={t('rows.next')} code={leading} />}
      {paging === null && <Part label={t('rows.onePage')} />}
    </Text>
  );
}

/** The argument that asks for the next page, else the place in the response that leads there. */
function leadingOn({ paging, next }: Place): string | undefined {
  if (paging === null) return undefined;
  const { page, offset, cursor, lastId } = paging;
  const numbers = [lastId, page, offset];
  const names = next === null ? [...numbers, cursor] : [cursor, ...numbers, next];
  return names.find((name) => name !== undefined);
}

interface PartProps {
  readonly label: string;
  readonly code?: string;
}

const Part = ({ label, code }: PartProps) => (
  <>
    {' · '}
    {label} {code !== undefined && <Code fz="xs">{code}</Code>}
  </>
);

/** Who says it, and by which rule it was found. */
function Reason({ rows: { source, evidence, foundAt } }: { readonly rows: ToolRows }) {
  const { t } = useTranslation('apis');
  const { rule, name } = readEvidence(evidence);
  if (source === 'registration') return t('rows.corrected');
  const said = rule === 'other' ? evidence : t(`rows.rule.${rule}`, { name });
  if (source === 'description' || foundAt === null) return t('rows.described', { said });
  return (
    <>
      {t('rows.responded', { said })} · <RelativeTime at={foundAt} />
    </>
  );
}
