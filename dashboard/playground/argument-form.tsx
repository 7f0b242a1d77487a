import { Button, Collapse, Group, Skeleton, Stack, Text } from '@mantine/core';
import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconMapPin, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { icon, LinkButton } from '../shared/buttons.tsx';
import { lazyPart } from '../shared/waiting.tsx';
import { ArgumentField } from './argument-field.tsx';
import { findPlace, type PlaceFields, type PlacePickerProps } from './arrange-fields.ts';
import {
  type Arguments,
  type FormValues,
  isNamedByStart,
  keyOf,
  overIn,
  readArguments,
  writeValues,
} from './form-values.ts';
import { RangeField } from './range-field.tsx';
import { nameIn, OVER, overTexts, valuesOf } from './ranges.ts';
import { type Field, listIn, ROW_ARGUMENTS } from './read-fields.ts';
import type { Run, SplitIssues, ToolDetails } from './run-tool.ts';

const PlaceMap = lazy(() => import('./place-map.tsx'));
const RowFields = lazyPart(async () => (await import('./row-fields.tsx')).RowFields);

/** Fields of their own, or none, rather than among the further arguments. */
const OWN = [...ROW_ARGUMENTS, OVER, '_link'];

export interface ArgumentFormProps {
  readonly fields: readonly Field[];
  /** How many of them come first; the rest is folded away. */
  readonly shown: number;
  /** What the gateway found to be wrong in the last run, by the name of the argument. */
  readonly issues: SplitIssues['byName'];
  readonly tool: ToolDetails;
  readonly args: Arguments;
  readonly lastRun: Run | undefined;
  readonly isRunning: boolean;
  readonly onRun: (args: Arguments) => void;
  readonly onStop: () => void;
}

/** A field for each argument: the essential ones, and the rest folded away. */
export function ArgumentForm(props: ArgumentFormProps) {
  const { fields, shown, issues, tool, args, lastRun, onRun } = props;
  const { t } = useTranslation('playground');
  const form = useForm<FormValues>({
    initialValues: writeValues(fields, args),
    validate: (values) =>
      Object.fromEntries(
        Object.entries(readArguments(fields, values).issues).map(([key, issue]) => [
          key,
          t(`issues.${issue}`),
        ]),
      ),
  });
  useRefill(form, fields, args);
  useIssues(form, fields, issues);
  const place = findPlace(fields);
  const keyed: Keyed[] = fields.map((field, at) => ({ field, key: keyOf(at) }));
  const folded = keyed.slice(shown).filter(({ field: { name } }) => !OWN.includes(name));
  const ofRows = ROW_ARGUMENTS.flatMap((name) => keyed.filter(({ field }) => field.name === name));
  const reasons = (some: readonly Keyed[]) => reasonsIn(some, args, form.errors);
  const draw = ({ field, key }: Keyed) => (
    <Argument key={key} at={key} field={field} fields={fields} form={form} tool={tool} />
  );
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => onRun(readArguments(fields, values).arguments))}
    >
      <Stack gap="sm">
        <FormHead fields={fields} onFill={(values) => form.setValues(values)} />
        {place && (
          <PlacePicker
            place={place}
            at={placeIn(form.values, place)}
            onChange={(latitude, longitude) =>
              form.setValues({
                [keyOf(place.latitude.position)]: String(latitude),
                [keyOf(place.longitude.position)]: String(longitude),
              })
            }
          />
        )}
        {keyed.slice(0, shown).map(draw)}
        {folded.length > 0 && (
          <Folded label={t('more', { count: folded.length })} reasons={reasons(folded)}>
            {folded.map(draw)}
          </Folded>
        )}
        {ofRows.length > 0 && (
          <Folded label={t('rows.title')} reasons={reasons(ofRows)}>
            <RowFields
              form={form}
              fields={ofRows}
              tool={tool}
              lastRun={lastRun}
              varied={overIn(fields, form.values).map(nameIn)}
            />
          </Folded>
        )}
        <RunButtons {...props} />
      </Stack>
    </form>
  );
}

/** A field with its key in the form. */
interface Keyed {
  readonly field: Field;
  readonly key: string;
}

/** Why fields are not folded away: those that have a value or an issue. */
function reasonsIn(some: readonly Keyed[], args: Arguments, errors: FormErrors): string {
  const over = overTexts(args[OVER]);
  return some
    .flatMap(({ field: { name }, key }) => [
      (name in args || valuesOf(over, name) !== undefined) && `value of ${name}`,
      key in errors && `issue of ${name}`,
    ])
    .filter(Boolean)
    .join();
}

interface ArgumentProps extends Pick<ArgumentFormProps, 'fields' | 'tool'> {
  readonly field: Field;
  /** Its key in the form. */
  readonly at: string;
  readonly form: UseFormReturnType<FormValues>;
}

/** The field of an argument, with a switch to a range where it can vary. */
function Argument({ field, at, fields, form, tool }: ArgumentProps) {
  const rangeForm = tool.rangeForms[field.name];
  const over = overIn(fields, form.values);
  const single = (
    <ArgumentField
      field={field}
      input={form.getInputProps(at)}
      isComputed={tool.computedDefaults.includes(field.name)}
      columns={tool.columns}
    />
  );
  if (rangeForm === undefined) return isNamedByStart(field, over) ? null : single;
  return (
    <RangeField
      field={field}
      form={rangeForm}
      over={over}
      single={String(form.values[at] ?? '')}
      error={form.errors[at]}
      onChange={(entries) => {
        form.clearFieldError(at);
        form.setFieldValue(keyOf(fields.findIndex(({ name }) => name === OVER)), entries);
      }}
    >
      {single}
    </RangeField>
  );
}

/** Fills the form again when the address changes, as Back does, but not when its own run changed the address. */
function useRefill(
  form: UseFormReturnType<FormValues>,
  fields: readonly Field[],
  args: Arguments,
): void {
  const wanted = JSON.stringify(args);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the address refills the form.
  useEffect(() => {
    const entered = readArguments(fields, form.getValues()).arguments;
    if (JSON.stringify(entered) !== wanted) form.setValues(writeValues(fields, args));
  }, [wanted]);
}

/** Shows what the gateway found to be wrong at the fields, until they are changed. */
function useIssues(
  form: UseFormReturnType<FormValues>,
  fields: readonly Field[],
  issues: SplitIssues['byName'],
): void {
  const { t } = useTranslation('playground');
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another run brings other issues.
  useEffect(() => {
    const errors = fields.flatMap(({ name }, at) =>
      issues[name] ? [[keyOf(at), t('issues.refused', { detail: issues[name] })]] : [],
    );
    form.setErrors(Object.fromEntries(errors));
  }, [issues]);
}

function placeIn(values: FormValues, { latitude, longitude }: PlaceFields) {
  const [lat, lon] = [latitude, longitude].map(({ position }) => values[keyOf(position)]);
  if (!lat || !lon) return null;
  const at = { latitude: Number(lat), longitude: Number(lon) };
  return Number.isFinite(at.latitude) && Number.isFinite(at.longitude) ? at : null;
}

function FormHead({
  fields,
  onFill,
}: {
  fields: readonly Field[];
  onFill: (values: FormValues) => void;
}) {
  const { t } = useTranslation('playground');
  const example = exampleArguments(fields);
  return (
    <Group justify="space-between" gap="xs">
      <Text component="h3" fw={600} size="sm">
        {t('arguments')}
      </Text>
      <Group gap={4}>
        {Object.keys(example).length > 0 && (
          <Button
            size="compact-xs"
            variant="light"
            onClick={() => onFill(writeValues(fields, example))}
          >
            {t('example')}
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={() => onFill(writeValues(fields, {}))}
        >
          {t('clear')}
        </Button>
      </Group>
    </Group>
  );
}

interface FoldedProps {
  readonly label: string;
  /** Which of them have a value or an issue. It opens by itself with the first, and with each further one. */
  readonly reasons: string;
  readonly children: ReactNode;
}

function Folded({ label, reasons, children }: FoldedProps) {
  const [opened, { open, toggle }] = useDisclosure(reasons !== '');
  useEffect(() => {
    if (reasons !== '') open();
  }, [reasons, open]);
  return (
    <div>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        onClick={toggle}
        aria-expanded={opened}
        rightSection={<IconChevronDown size={14} aria-hidden />}
      >
        {label}
      </Button>
      <Collapse expanded={opened}>
        <Stack gap="sm" pt="xs">
          {opened && children}
        </Stack>
      </Collapse>
    </div>
  );
}

function RunButtons({ isRunning, onStop }: ArgumentFormProps) {
  const { t } = useTranslation('playground');
  const person = usePerson();
  const tenant = useTenantInUse();
  const { href } = useLocation();
  if (!person) {
    return (
      <Group>
        <LinkButton to="/admin/sign-in" search={{ back: href }} flex={1}>
          {t('signIn')}
        </LinkButton>
      </Group>
    );
  }
  return (
    <Group gap="xs">
      <Button
        type="submit"
        flex={1}
        disabled={!tenant}
        loading={isRunning}
        leftSection={icon(IconPlayerPlay)}
      >
        {t('run')}
      </Button>
      {isRunning && (
        <Button variant="default" onClick={onStop} leftSection={icon(IconPlayerStop)}>
          {t('stop')}
        </Button>
      )}
    </Group>
  );
}

/** The arguments of an example: the required ones, and a place where the tool wants one. */
function exampleArguments(fields: readonly Field[]): Arguments {
  const place = findPlace(fields);
  const wanted = fields.filter(
    (field, at) =>
      field.isRequired || at === place?.latitude.position || at === place?.longitude.position,
  );
  return Object.fromEntries(
    wanted.flatMap(({ name, schema }) => {
      const value = listIn(schema, 'examples')[0] ?? schema['default'] ?? listIn(schema, 'enum')[0];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Opens the map, which is loaded only then. */
function PlacePicker(props: PlacePickerProps) {
  const { t } = useTranslation('playground');
  const [isOpen, { toggle }] = useDisclosure(false);
  return (
    <div>
      <Button
        size="xs"
        variant="default"
        onClick={toggle}
        aria-expanded={isOpen}
        leftSection={icon(IconMapPin)}
      >
        {t(isOpen ? 'map.close' : 'map.open')}
      </Button>
      {isOpen && (
        <Suspense fallback={<Skeleton height={320} mt="xs" />}>
          <PlaceMap {...props} />
        </Suspense>
      )}
    </div>
  );
}
