import { ActionIcon, Badge, Button, Code, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import { useCheckedForm } from '../shared/checked-form.tsx';
import { DialogButtons } from '../shared/confirm-dialog.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { Hint } from '../shared/page.tsx';
import { Failing, type Problem, problemWith, useProblems } from '../shared/problems.tsx';
import { HeldDialog, useUnsavedGuard } from '../shared/unsaved.tsx';
import { lazyPart } from '../shared/waiting.tsx';
import { ChangeError, useChangeApi, useReloadApi } from './change-api.tsx';
import type { ApiPartProps } from './queries.ts';
import { type ApiTool, RowFacts } from './row-facts.tsx';

const LazyRowsForm = lazyPart(async () => (await import('./rows-form.tsx')).RowsForm);

/** The tools of an API, with links to their pages in the catalogue. */
export function ToolsTable({ tenant, api, canChange }: ApiPartProps & { canChange: boolean }) {
  const { t } = useTranslation('apis');
  const [edited, setEdited] = useState<ApiTool | null>(null);
  const [corrected, setCorrected] = useState<ApiTool | null>(null);
  const problems = useProblems(tenant);
  return (
    <>
      <DataTable
        label={t('tools.label')}
        rows={api.tools}
        rowKey={({ id }) => id}
        empty={<Text size="sm">{t('tools.none')}</Text>}
        columns={[
          {
            header: t('column.tool'),
            cell: (tool) => (
              <ToolName tool={tool} problem={problemWith(problems, ({ id }) => id === tool.id)} />
            ),
          },
          {
            header: t('column.operation'),
            cell: ({ method, path }) =>
              method === null ? (
                '–'
              ) : (
                <Code>
                  {method.toUpperCase()} {path}
                </Code>
              ),
          },
          {
            header: t('column.rows'),
            width: '32%',
            cell: (tool) =>
              tool.method === null ? (
                '–'
              ) : (
                <RowFacts
                  tool={tool}
                  onCorrect={canChange ? () => setCorrected(tool) : undefined}
                />
              ),
          },
          {
            header: t('tools.text'),
            cell: ({ description, ownText }) => (
              <Text size="sm" lineClamp={3}>
                {ownText !== null && (
                  <Badge size="xs" variant="light" tt="none" mr={6}>
                    {t('tools.own')}
                  </Badge>
                )}
                {description ?? ownText ?? '–'}
              </Text>
            ),
          },
          ...(canChange
            ? [
                {
                  header: t('column.action'),
                  isActions: true,
                  cell: (tool: ApiTool) => (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('tools.edit', { tool: tool.name })}
                      onClick={() => setEdited(tool)}
                    >
                      <IconPencil size={16} aria-hidden />
                    </ActionIcon>
                  ),
                } as const,
              ]
            : []),
        ]}
      />
      <EditDescription tenant={tenant} api={api} tool={edited} onClose={() => setEdited(null)} />
      <CorrectRows tenant={tenant} api={api} tool={corrected} onClose={() => setCorrected(null)} />
    </>
  );
}

interface ToolNameProps {
  readonly tool: ApiTool;
  readonly problem: Problem | undefined;
}

/** With the word that says that its calls fail. */
function ToolName({ tool: { name, description }, problem }: ToolNameProps) {
  const { t } = useTranslation('apis');
  if (description === null) {
    return (
      <Group gap={6}>
        {name}
        <Hint size="xs">{t('tools.notLive')}</Hint>
      </Group>
    );
  }
  return (
    <Group gap={6}>
      <LinkAnchor to="/admin/catalogue/$tool" params={{ tool: name }} size="sm" fw={550}>
        {name}
      </LinkAnchor>
      {problem && <Failing />}
    </Group>
  );
}

interface ToolDialogProps extends ApiPartProps {
  /** Null while nothing is edited. */
  readonly tool: ApiTool | null;
  readonly onClose: () => void;
}

/** Edits what models read of a tool, in place of the description's own text. */
function EditDescription({ tool, onClose, ...rest }: ToolDialogProps) {
  const { t } = useTranslation('apis');
  return (
    <HeldDialog
      opened={tool !== null}
      onClose={onClose}
      title={tool && t('tools.editTitle', { tool: tool.name })}
      size="lg"
    >
      {tool && <EditForm key={tool.id} {...rest} tool={tool} onClose={onClose} />}
    </HeldDialog>
  );
}

/** Corrects where the rows of a tool are. */
function CorrectRows({ tool, onClose, ...rest }: ToolDialogProps) {
  const { t } = useTranslation('apis');
  return (
    <HeldDialog
      opened={tool !== null}
      onClose={onClose}
      title={tool && t('rows.title', { tool: tool.name })}
      size="lg"
    >
      {tool && <LazyRowsForm key={tool.id} {...rest} tool={tool} onClose={onClose} />}
    </HeldDialog>
  );
}

function EditForm({
  tenant,
  api,
  tool,
  onClose,
}: ApiPartProps & { readonly tool: ApiTool; readonly onClose: () => void }) {
  const { t } = useTranslation('apis');
  const before = tool.ownText ?? tool.description ?? '';
  const [text, setText] = useState(before);
  const change = useChangeApi(tenant, api);
  const reload = useReloadApi(tenant, api.id);
  const store = (value: string | null): void => {
    const descriptions = { [tool.name]: value };
    change.mutate({ descriptions, done: t('api.saved') }, { onSuccess: onClose });
  };
  const guard = useUnsavedGuard(text !== before);
  const { form, field } = useCheckedForm(() => store(text));
  return (
    <form {...form}>
      {guard}
      <Stack>
        <Textarea
          {...field('text')}
          label={t('tools.text')}
          description={t('tools.hint')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          maxLength={4000}
          autosize
          minRows={4}
          maxRows={16}
          required
          data-autofocus
        />
        {change.error && (
          <ChangeError error={change.error} onReload={() => reload().then(onClose)} />
        )}
        <Group justify="space-between" gap="xs">
          <Button
            variant="subtle"
            disabled={tool.ownText === null || change.isPending}
            onClick={() => store(null)}
          >
            {t('tools.reset')}
          </Button>
          <DialogButtons onClose={onClose} action={t('api.save')} isPending={change.isPending} />
        </Group>
      </Stack>
    </form>
  );
}
