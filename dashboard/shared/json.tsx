import { Anchor, Box, Text, UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './json.module.css';
import { useFormat } from './use-format.ts';

export interface JsonProps {
  /** A JSON value of any size: only what is open is rendered, and long lists and texts in pieces. */
  readonly value: unknown;
  /** What it is, for screen readers. */
  readonly label: string;
}

/** A JSON value as a tree whose branches open and close. */
export function Json({ value, label }: JsonProps) {
  useTranslation('shared');
  return (
    <Box className={classes.root} role="group" aria-label={label}>
      <JsonNode name={null} value={value} depth={0} />
    </Box>
  );
}

interface JsonNodeProps {
  /** The member's name or the item's position; null for the root. */
  readonly name: string | number | null;
  readonly value: unknown;
  readonly depth: number;
}

/** How many members are added at a time. */
const STEP = 100;
/** Branches above this depth are open at first, unless they are large. */
const OPEN_DEPTH = 2;
const OPEN_MEMBERS = 20;

/** One value with its name; the values within it are rendered once it is open. */
function JsonNode({ name, value, depth }: JsonNodeProps) {
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={classes.line}>
        <Name name={name} />
        <JsonLeaf value={value} />
      </div>
    );
  }
  return <Branch name={name} value={value} depth={depth} />;
}

interface BranchProps extends JsonNodeProps {
  readonly value: object;
}

function Branch({ name, value, depth }: BranchProps) {
  const { t } = useTranslation('shared');
  const keys = Array.isArray(value) ? null : Object.keys(value);
  const count = keys?.length ?? (value as readonly unknown[]).length;
  const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && (depth === 0 || count <= OPEN_MEMBERS));
  return (
    <div>
      <UnstyledButton
        className={classes.toggle}
        fz="inherit"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <IconChevronRight size={14} className={classes.chevron} aria-hidden />
        <Name name={name} />
        <Text span inherit c="dimmed">
          {t(keys ? 'json.members' : 'json.items', { count })}
        </Text>
      </UnstyledButton>
      {isOpen && <Members value={value} keys={keys} count={count} depth={depth + 1} />}
    </div>
  );
}

interface MembersProps {
  readonly value: object;
  /** Null for an array. */
  readonly keys: readonly string[] | null;
  readonly count: number;
  readonly depth: number;
}

function Members({ value, keys, count, depth }: MembersProps) {
  const { t } = useTranslation('shared');
  const [shown, setShown] = useState(STEP);
  const names =
    keys?.slice(0, shown) ?? Array.from({ length: Math.min(shown, count) }, (_, at) => at);
  const rest = count - names.length;
  return (
    <ul className={classes.members}>
      {names.map((name) => (
        <li key={name}>
          <JsonNode name={name} value={Reflect.get(value, name)} depth={depth} />
        </li>
      ))}
      {rest > 0 && (
        <li>
          <More onClick={() => setShown(shown + STEP)}>
            {t('json.more', { count: Math.min(rest, STEP) })}
          </More>
        </li>
      )}
    </ul>
  );
}

const More = (props: { readonly onClick: () => void; readonly children: string }) => (
  <Anchor component="button" type="button" inherit underline="always" ms="md" {...props} />
);

const Name = ({ name }: Pick<JsonNodeProps, 'name'>) =>
  name !== null && <span className={classes.name}>{name}:</span>;

/** Characters; the rest of a text is shown on demand. */
const MAX_TEXT = 500;

/** A string, a number, a boolean or null. Strings are rendered as text, whatever they contain. */
function JsonLeaf({ value }: { readonly value: unknown }) {
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
        <More onClick={() => setWhole(true)}>
          {t('json.wholeText', { size: count(text.length) })}
        </More>
      )}
    </>
  );
}
