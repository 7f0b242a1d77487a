import { Button, Group, Modal, Stack, Textarea } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiPartProps } from './api-tabs.tsx';
import { ChangeError } from './change-error.tsx';
import type { Api } from './queries.ts';
import { useChangeApi, useReloadApi } from './use-change-api.ts';

type ApiTool = Api['tools'][number];

interface EditDescriptionProps extends ApiPartProps {
  /** Null while nothing is edited. */
  readonly tool: ApiTool | null;
  readonly onClose: () => void;
}

/** Edits what models read of a tool, in place of the description's own text. */
export function EditDescription({ tool, onClose, ...rest }: EditDescriptionProps) {
  const { t } = useTranslation('apis');
  return (
    <Modal
      opened={tool !== null}
      onClose={onClose}
      title={tool && t('tools.editTitle', { tool: tool.name })}
      size="lg"
    >
      {tool && <EditForm key={tool.id} {...rest} tool={tool} onClose={onClose} />}
    </Modal>
  );
}

function EditForm({
  tenant,
  api,
  tool,
  onClose,
}: ApiPartProps & { readonly tool: ApiTool; readonly onClose: () => void }) {
  const { t } = useTranslation('apis');
  const [text, setText] = useState(tool.ownText ?? tool.description ?? '');
  const change = useChangeApi(tenant, api);
  const reload = useReloadApi(tenant, api.id);
  const store = (value: string | null): void => {
    const descriptions = { [tool.name]: value };
    change.mutate({ descriptions, done: t('api.saved') }, { onSuccess: onClose });
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    store(text);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Textarea
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
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              {t('api.cancel')}
            </Button>
            <Button type="submit" loading={change.isPending}>
              {t('api.save')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
