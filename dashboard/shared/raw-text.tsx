import { Alert } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from './code-block.tsx';
import { useFormat } from './use-format.ts';

/** Characters. A browser lays out more of them too slowly. */
const MAX_SHOWN = 200_000;

export interface RawTextProps {
  readonly text: string;
  readonly label: string;
}

/** A text of any size: the beginning of a large one is shown, and all of it is copied. */
export function RawText({ text, label }: RawTextProps) {
  const { t } = useTranslation('shared');
  const { count } = useFormat();
  const isCut = text.length > MAX_SHOWN;
  return (
    <>
      {isCut && (
        <Alert color="yellow" mb="xs">
          {t('json.cut', { shown: count(MAX_SHOWN), size: count(text.length) })}
        </Alert>
      )}
      <CodeBlock code={isCut ? text.slice(0, MAX_SHOWN) : text} copied={text} label={label} />
    </>
  );
}
