import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useTenantInUse } from '../session/session.ts';
import { ErrorAlert } from '../shared/page.tsx';
import { isSchema } from './read-fields.ts';
import { type ResultLink, type Run, runTool, type ToolDetails } from './run-tool.ts';

const FORMATS = ['csv', 'ndjson', 'json'] as const;
const NAMES = { csv: 'CSV', ndjson: 'NDJSON', json: 'JSON' };

/** Whether all rows of a run can be had as a file. */
export const hasFiles = ({ result }: Run, { inputSchema, personal }: ToolDetails): boolean =>
  (result?.rows?.returned ?? 0) > 0 &&
  personal.length === 0 &&
  isSchema(inputSchema['properties']) &&
  '_link' in inputSchema['properties'];

/** All rows of a run as files, which the gateway keeps once one is asked for. */
export function ResultFiles({ run, tool }: { readonly run: Run; readonly tool: ToolDetails }) {
  const { t } = useTranslation('playground');
  const tenant = useTenantInUse()?.slug ?? '';
  const known = run.result?.rows?.link;
  const find = useMutation({
    mutationFn: async (last: ResultLink | undefined): Promise<ResultLink> => {
      if (last && Date.parse(last.expiresAt) > Date.now()) return last;
      const args = { ...run.arguments, _link: true };
      const { result, error } = await runTool(
        { tenant, tool: tool.name, args },
        new AbortController().signal,
      );
      const link = result?.rows?.link;
      if (link) return link;
      throw new Error(error?.message ?? result?.rows?.hint ?? t('files.none'));
    },
  });
  const download = (format: (typeof FORMATS)[number]) =>
    find.mutate(find.data ?? known, {
      onSuccess: (link) =>
        Object.assign(document.createElement('a'), { href: link[format], download: '' }).click(),
    });
  return (
    <>
      <Group gap={4} role="group" aria-label={t('files.label')}>
        <Text size="xs" c="dimmed">
          {t('result.download')}
        </Text>
        {FORMATS.map((format) => (
          <Button
            key={format}
            size="compact-xs"
            variant="subtle"
            color="gray"
            disabled={find.isPending}
            onClick={() => download(format)}
          >
            {NAMES[format]}
          </Button>
        ))}
      </Group>
      {find.error && <ErrorAlert error={find.error} />}
    </>
  );
}
