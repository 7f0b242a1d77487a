import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './json.module.css';
import { useFormat } from './use-format.ts';

/** Characters; the rest of a text is shown on demand. */
const MAX_TEXT = 500;

/** A string, a number, a boolean or null. Strings are rendered as text, whatever they contain. */
export function JsonLeaf({ value }: { readonly value: unknown }) {
  const { t } = useTranslation('shared');
  const { count } = useFormat();
  const [isWhole, setWhole] = useState(false);
  const text = JSON.stringify(value) ?? 'undefined';
  const isCut = !isWhole && text.length > MAX_TEXT;
  return (
    <>
      <span className={classes.value} data-type={value === null ? 'null' : typeof value}>
        {isCut ? `${text.slice(0, MAX_TEXT)}…` : text}
      </span>
      {isCut && (
        <button type="button" className={classes.more} onClick={() => setWhole(true)}>
          {t('json.wholeText', { size: count(text.length) })}
        </button>
      )}
    </>
  );
}
