import { Badge, Button, Checkbox, Group, Stack, Switch, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { useCheckedForm } from '../shared/checked-form.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { Hint } from '../shared/page.tsx';
import { useUnsavedGuard } from '../shared/unsaved.tsx';
import { NO_SOURCE, toSource } from './api-form.ts';
import { ChangeError, useReloadApi } from './change-api.tsx';
import { type ApiPartProps, apisKey, type Changes, type Refreshed } from './queries.ts';
import { missingSource, SourceFields } from './source-fields.tsx';

/** Compares a description with the one in use, and takes it once that is confirmed. */
export function RefreshForm({
  tenant,
  api,
  onClose,
}: ApiPartProps & { readonly onClose: () => void }) {
  const { t } = useTranslation('apis');
  const hasAddress = api.source.kind === 'address';
  const [isSame, setSame] = useState(hasAddress);
  const [source, setSource] = useState(NO_SOURCE);
  const [confirmed, setConfirmed] = useState<readonly string[]>([]);
  const given = isSame ? {} : toSource(source);
  const { compare, apply } = useRefresh({ tenant, api, onClose });
  const reload = useReloadApi(tenant, api.id);
  const compared = compare.data;
  const needed = compared ? originsToConfirm(api, compared) : [];
  const isConfirmed = needed.every((origin) => confirmed.includes(origin));
  const guard = useUnsavedGuard(!isSame && given !== null);
  const { form, field } = useCheckedForm(
    () => given && compare.mutate(given),
    isSame ? [] : missingSource(source),
  );
  return (
    <Stack>
      {guard}
      <form {...form}>
        <Stack gap="sm">
          <Hint>{t('refresh.text')}</Hint>
          {hasAddress && (
            <Switch
              label={t('refresh.same')}
              checked={isSame}
              onChange={(event) => setSame(event.currentTarget.checked)}
            />
          )}
          {!isSame && <SourceFields values={source} onChange={setSource} field={field} />}
          <Group justify="flex-end">
            <Button
              type="submit"
              variant={compared ? 'default' : 'filled'}
              loading={compare.isPending}
            >
              {t('refresh.compare')}
            </Button>
          </Group>
        </Stack>
      </form>
      {compare.error && (
        <ChangeError error={compare.error} onReload={() => reload().then(onClose)} />
      )}
      {compared && (
        <>
          <ChangesTable changes={compared.changes} />
          {needed.length > 0 && (
            <Origins
              before={compared.origins.before}
              needed={needed}
              confirmed={confirmed}
              onChange={setConfirmed}
            />
          )}
          {apply.error && (
            <ChangeError error={apply.error} onReload={() => reload().then(onClose)} />
          )}
          <Group justify="flex-end">
            <Button
              loading={apply.isPending}
              disabled={!isConfirmed || !given}
              onClick={() => given && apply.mutate({ ...given, confirm_origins: needed })}
            >
              {t('refresh.apply')}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** All origins of the new version, if they differ and the API has a credential: the gateway asks for every one. */
function originsToConfirm(
  { auth }: ApiPartProps['api'],
  { origins }: Refreshed,
): readonly string[] {
  const { before, after } = origins;
  const isSame = before.length === after.length && before.every((each) => after.includes(each));
  return auth.set && !isSame ? after : [];
}

interface OriginsProps {
  readonly before: readonly string[];
  readonly needed: readonly string[];
  readonly confirmed: readonly string[];
  readonly onChange: (confirmed: readonly string[]) => void;
}

function Origins({ before, needed, confirmed, onChange }: OriginsProps) {
  const { t } = useTranslation('apis');
  return (
    <Checkbox.Group
      label={t('refresh.origins')}
      description={t('refresh.originsText')}
      value={[...confirmed]}
      onChange={onChange}
    >
      <Stack gap={6} mt="xs">
        <Hint>{t('refresh.before', { origins: before.join(', ') })}</Hint>
        {needed.map((origin) => (
          <Checkbox key={origin} value={origin} label={t('refresh.confirm', { origin })} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** Nothing: the description in use is fetched again. */
interface Given {
  readonly spec_url?: string;
  readonly spec_raw?: string;
}

function useRefresh({ tenant, api, onClose }: ApiPartProps & { readonly onClose: () => void }) {
  const { t } = useTranslation('apis');
  const queries = useQueryClient();
  const { id, revision } = api;
  const send = (input: object) =>
    callAdmin('POST /tenants/:tenant/registrations/:id/refresh', {
      tenant,
      id,
      revision,
      ...input,
    });
  const compare = useMutation({ mutationFn: (given: Given) => send({ ...given, dry_run: true }) });
  const apply = useMutation({
    mutationFn: async (given: Given & { readonly confirm_origins: readonly string[] }) => {
      const applied = await send(given);
      // It was fetched again: its origins may differ from those that were shown.
      if (applied.outcome === 'confirmation_required') throw new Error(t('refresh.differs'));
      return applied;
    },
    onSuccess: async ({ outcome }) => {
      notifications.show({
        message: t(outcome === 'unchanged' ? 'refresh.unchanged' : 'refresh.done'),
      });
      onClose();
      await queries.invalidateQueries({ queryKey: apisKey(tenant) });
    },
  });
  return { compare, apply };
}

interface ChangedTool {
  readonly tool: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly parts: Changes['changed'][number]['parts'];
}

const COLOURS = { added: 'celadon', removed: 'red', changed: 'yellow' } as const;

/** How the tools of two versions differ. */
function ChangesTable({ changes }: { readonly changes: Changes }) {
  const { t } = useTranslation('apis');
  return (
    <DataTable
      label={t('refresh.label')}
      rows={rowsOf(changes)}
      rowKey={({ tool, kind }) => `${kind} ${tool}`}
      empty={
        <Text size="sm" role="status">
          {t('refresh.unchanged')}
        </Text>
      }
      columns={[
        { header: t('column.tool'), cell: ({ tool }) => tool },
        {
          header: t('column.difference'),
          cell: ({ kind, parts }) => (
            <>
              <Badge variant="light" tt="none" color={COLOURS[kind]}>
                {t(`refresh.${kind}`)}
              </Badge>{' '}
              {parts.map((part) => t(`refresh.part.${part}`)).join(', ')}
            </>
          ),
        },
      ]}
    />
  );
}

const rowsOf = ({ added, removed, changed }: Changes): ChangedTool[] => [
  ...removed.map((tool) => ({ tool, kind: 'removed', parts: [] }) as const),
  ...changed.map(({ tool, parts }) => ({ tool, kind: 'changed', parts }) as const),
  ...added.map((tool) => ({ tool, kind: 'added', parts: [] }) as const),
];
