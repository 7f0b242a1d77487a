import { type InputEvent, type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

/** What is wrong with a field, as a browser finds it. */
type Fault = 'missing' | 'url' | 'email' | 'invalid';

type Faults = ReadonlyMap<string, Fault>;

/** The props of a field of a checked form: its name, and what is wrong with it. */
export type FieldOf = (name: string) => { readonly name: string; readonly error: string | null };

type Checked = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement | HTMLButtonElement;

/**
 * A form whose faults stand at their fields, in place of the browser's bubbles: `<form {...form}>` with fields that have
 * `required`, `type`, `pattern` and so on, and `{...field('name')}`. The first that is wrong gets the focus. `missing` names
 * what no field of the browser knows to be missing.
 */
export function useCheckedForm(
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void,
  missing: readonly string[] = [],
) {
  const { t } = useTranslation('shared');
  const [faults, setFaults] = useState<Faults>(new Map());
  const find = (form: HTMLFormElement): Faults => {
    const fields = fieldsOf(form).map((field) => [field.name, faultOf(field)] as const);
    const found = [...fields, ...missing.map((name) => [name, 'missing'] as const)];
    return new Map(found.filter((entry): entry is [string, Fault] => entry[1] !== null));
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const found = find(event.currentTarget);
    setFaults(found);
    if (found.size === 0) onSubmit(event);
    else
      fieldsOf(event.currentTarget)
        .find(({ name }) => found.has(name))
        ?.focus();
  };
  /** What was said stays until it is mended; nothing new is said while one types. */
  const mend = ({ target }: InputEvent<HTMLFormElement>): void => {
    const { name } = target as Checked;
    if (!faults.has(name) || faultOf(target as Checked) !== null) return;
    setFaults(new Map([...faults].filter(([other]) => other !== name)));
  };
  const field: FieldOf = (name) => {
    const fault = faults.get(name);
    return { name, error: fault ? t(`fault.${fault}`) : null };
  };
  return { form: { noValidate: true, onSubmit: submit, onInput: mend }, field };
}

const fieldsOf = ({ elements }: HTMLFormElement): readonly Checked[] =>
  [...elements].filter((element): element is Checked => 'validity' in element);

function faultOf({ validity, type }: Checked): Fault | null {
  if (validity.valid) return null;
  if (validity.valueMissing) return 'missing';
  return validity.typeMismatch && (type === 'url' || type === 'email') ? type : 'invalid';
}
