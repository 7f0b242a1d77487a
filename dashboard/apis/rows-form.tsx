import { Group, Select, Stack, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { deepEqual } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type FieldOf, useCheckedForm } from '../shared/checked-form.tsx';
import { DialogButtons } from '../shared/confirm-dialog.tsx';
import { Hint } from '../shared/page.tsx';
import { useUnsavedGuard } from '../shared/unsaved.tsx';
import { Waiting } from '../shared/waiting.tsx';
import { ChangeError, useChangeApi, useReloadApi } from './change-api.tsx';
import { type ApiPartProps, reportQuery, toolQuery } from './queries.ts';
import type { ApiTool } from './row-facts.tsx';
import {
  isCounted,
  NEXT_PAGES,
  ROW_PLACES,
  type RowsDraft,
  type RowsExtension,
  refusalOf,
  rowsDraftOf,
  withRows,
} from './rows-draft.ts';

export interface RowsFormProps extends ApiPartProps {
  readonly tool: ApiTool;
  readonly onClose: () => void;
}

/** Says of one tool where its rows and their total are, and how the next page is asked for. */
export function RowsForm(props: RowsFormProps) {
  const { tenant, api, tool } = props;
  const { data, error } = useQuery({
    ...reportQuery(tenant, api.id, api.revision),
    // Saving makes a revision. Without a form, the dialog would not hear that it was saved, and would stay.
    placeholderData: keepPreviousData,
  });
  if (!data && !error) return <Waiting />;
  // As the description writes it, such as `GET /books/:id`; the tool has its path in one spelling.
  const reported = data?.report.operations.find((each) => each.tool === tool.name);
  return <Form {...props} operation={`${tool.method} ${reported?.path ?? tool.path}`} />;
}

function Form({
  tenant,
  api,
  tool,
  onClose,
  operation,
}: RowsFormProps & { readonly operation: string }) {
  const { t } = useTranslation('apis');
  const stored = rowsDraftOf(api.extensions, operation);
  const [draft, setDraft] = useState(stored);
  const change = useChangeApi(tenant, api);
  const reload = useReloadApi(tenant, api.id);
  const store = (): void => {
    const extensions = withRows(api.extensions, operation, draft);
    change.mutate({ extensions, done: t('api.saved') }, { onSuccess: onClose });
  };
  const guard = useUnsavedGuard(!deepEqual(draft, stored));
  const { form, field } = useCheckedForm(store);
  const refused = (name: RowsExtension) => refusalOf(change.error, name);
  const isShown = (['x-items', 'x-total', 'x-paging'] as const).some(refused);
  const fields = {
    draft,
    field,
    refused,
    change: (part: Partial<RowsDraft>) => setDraft({ ...draft, ...part }),
  };
  return (
    <form {...form}>
      {guard}
      <Stack>
        <Hint>{t('rows.text')}</Hint>
        <PlaceFields {...fields} rows={tool.rows} />
        <NextFields {...fields} tenant={tenant} tool={tool} />
        {change.error && !isShown && (
          <ChangeError error={change.error} onReload={() => reload().then(onClose)} />
        )}
        <DialogButtons onClose={onClose} action={t('api.save')} isPending={change.isPending} />
      </Stack>
    </form>
  );
}

interface FieldsProps {
  readonly draft: RowsDraft;
  readonly change: (part: Partial<RowsDraft>) => void;
  readonly field: FieldOf;
  /** What the gateway says of an extension that it refused. */
  readonly refused: (name: RowsExtension) => string | null;
}

/** A JSON pointer, but for the empty one. */
const POINTER = '/.*';

function PlaceFields({ draft, change, field, refused, rows }: FieldsProps & Pick<ApiTool, 'rows'>) {
  const { t } = useTranslation('apis');
  const pointer = (name: 'items' | 'total', extension: RowsExtension) => {
    const { error, ...rest } = field(name);
    return {
      ...rest,
      error: error ?? refused(extension),
      value: draft[name],
      onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
        change({ [name]: event.currentTarget.value }),
      pattern: POINTER,
      maxLength: 1000,
      spellCheck: false,
    };
  };
  return (
    <>
      <Select
        label={t('rows.place')}
        data={ROW_PLACES.map((value) => ({ value, label: t(`rows.at.${value}`) }))}
        value={draft.place}
        onChange={(place) => place && change({ place: place as RowsDraft['place'] })}
        allowDeselect={false}
        data-autofocus
      />
      {draft.place === 'pointer' && (
        <TextInput
          {...pointer('items', 'x-items')}
          label={t('rows.pointer')}
          placeholder={rows?.items || '/data/items'}
          required
        />
      )}
      <TextInput
        {...pointer('total', 'x-total')}
        label={t('rows.totalPlace')}
        description={t('rows.totalHint')}
        placeholder={rows?.total || '/total'}
      />
    </>
  );
}

interface NextFieldsProps extends FieldsProps {
  readonly tenant: string;
  readonly tool: ApiTool;
}

function NextFields({ draft, change, field, refused, tenant, tool }: NextFieldsProps) {
  const { t } = useTranslation('apis');
  const names = useArguments(tenant, tool, draft);
  const { next } = draft;
  const argument = field('argument');
  return (
    <>
      <Select
        label={t('rows.nextPage')}
        data={NEXT_PAGES.map((value) => ({ value, label: t(`rows.by.${value}`) }))}
        value={next}
        onChange={(value) => value && change({ next: value as RowsDraft['next'] })}
        allowDeselect={false}
      />
      {next !== 'found' && next !== 'none' && (
        <Group grow align="start" preventGrowOverflow={false}>
          <Select
            {...argument}
            error={argument.error ?? refused('x-paging')}
            label={t('rows.argument')}
            data={names}
            value={draft.argument || null}
            onChange={(value) => change({ argument: value ?? '' })}
            searchable
            required
          />
          {isCounted(next) && (
            <>
              <Select
                label={t('rows.size')}
                data={names}
                value={draft.size || null}
                onChange={(value) => change({ size: value ?? '' })}
                clearable
              />
              <Select
                label={t('rows.first')}
                data={['0', '1']}
                value={draft.first === null ? null : String(draft.first)}
                onChange={(value) => change({ first: value === null ? null : Number(value) })}
                clearable
              />
            </>
          )}
          {next === 'cursor' && (
            <TextInput
              {...field('at')}
              label={t('rows.cursorAt')}
              placeholder={tool.rows?.next || '/meta/next'}
              value={draft.at}
              onChange={(event) => change({ at: event.currentTarget.value })}
              pattern={POINTER}
              maxLength={1000}
            />
          )}
        </Group>
      )}
    </>
  );
}

/** The arguments that the API gets, and those that the draft names. */
function useArguments(tenant: string, { name }: ApiTool, draft: RowsDraft): string[] {
  const { data } = useQuery(toolQuery(tenant, name));
  const { properties = {} } = (data?.inputSchema ?? {}) as { readonly properties?: object };
  const known = Object.keys(properties).filter((each) => !each.startsWith('_'));
  return [...new Set([...known, draft.argument, draft.size].filter(Boolean))];
}
