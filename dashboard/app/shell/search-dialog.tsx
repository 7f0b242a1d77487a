import { Box, Modal, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Hint } from '../../shared/page.tsx';
import classes from './search-dialog.module.css';
import { type Found, type FoundGroup, useFound } from './search-results.tsx';

interface SearchDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Finds pages, tools, what the tenant has, pasted ids and actions. The field keeps the focus; the arrows choose. */
function SearchDialog({ isOpen, onClose }: SearchDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={<VisuallyHidden>{t('search.open')}</VisuallyHidden>}
      withCloseButton={false}
      classNames={{ header: classes.header, body: classes.body }}
      yOffset="5rem"
      size={600}
    >
      <Search onClose={onClose} />
    </Modal>
  );
}

// biome-ignore lint/style/noDefaultExport: React.lazy loads default exports only.
export default SearchDialog;

const MAX_WORDS = 100;

function Search({ onClose }: Pick<SearchDialogProps, 'onClose'>) {
  const { t } = useTranslation();
  const list = useId();
  const [words, setWords] = useState('');
  const [chosenId, setChosenId] = useState<string | null>(null);
  const { groups, isPending } = useFound(words.trim());
  const all = groups.flatMap(({ found }) => found);
  // Enter opens the best match, also when it has just arrived.
  const at = Math.max(
    all.findIndex(({ id }) => id === chosenId),
    0,
  );
  const chosen = all[at];
  const open = (found: Found) => {
    onClose();
    found.open();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter ends the composition of a Korean syllable first.
    if (event.nativeEvent.isComposing) return;
    const step = STEPS[event.key];
    if (step !== undefined) setChosenId(all.at((at + step) % all.length)?.id ?? null);
    else if (event.key === 'Enter' && chosen) open(chosen);
    else return;
    event.preventDefault();
  };
  const isNothing = all.length === 0 && !isPending;
  return (
    <>
      <TextInput
        size="lg"
        variant="unstyled"
        leftSection={<IconSearch size={18} aria-hidden />}
        placeholder={t('search.placeholder')}
        aria-label={t('search.placeholder')}
        role="combobox"
        aria-expanded={all.length > 0}
        aria-controls={list}
        aria-activedescendant={chosen && `${list}${chosen.id}`}
        aria-autocomplete="list"
        autoComplete="off"
        maxLength={MAX_WORDS}
        data-autofocus
        value={words}
        onChange={({ currentTarget }) => {
          setWords(currentTarget.value);
          setChosenId(null);
        }}
        onKeyDown={onKeyDown}
      />
      <div className={classes.list} id={list} role="listbox" aria-label={t('search.open')}>
        {groups.map((group) => (
          <Group key={group.label} {...{ list, group, chosen, open, onChoose: setChosenId }} />
        ))}
      </div>
      {isNothing && (
        <Box ta="center" p="lg" pt={0}>
          <Text fw={600}>{t('search.nothingFits', { words })}</Text>
          <Hint>{t('search.nothingHint')}</Hint>
        </Box>
      )}
      <VisuallyHidden role="status">
        {isNothing
          ? t('search.nothingFits', { words })
          : !isPending && t('search.results', { count: all.length })}
      </VisuallyHidden>
    </>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

interface GroupProps {
  readonly list: string;
  readonly group: FoundGroup;
  readonly chosen: Found | undefined;
  readonly open: (found: Found) => void;
  readonly onChoose: (id: string) => void;
}

const Group = ({ list, group: { label, found }, chosen, open, onChoose }: GroupProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox.
  <div role="group" aria-label={label}>
    <div className={classes.label} aria-hidden>
      {label}
    </div>
    {found.map((one) => (
      <Option
        key={one.id}
        id={`${list}${one.id}`}
        found={one}
        isChosen={one.id === chosen?.id}
        onOpen={() => open(one)}
        onChoose={() => onChoose(one.id)}
      />
    ))}
  </div>
);

interface OptionProps {
  readonly id: string;
  readonly found: Found;
  readonly isChosen: boolean;
  readonly onOpen: () => void;
  readonly onChoose: () => void;
}

function Option({ id, found, isChosen, onOpen, onChoose }: OptionProps) {
  const { label, description, icon: Icon } = found;
  useEffect(() => {
    if (isChosen) document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
  }, [id, isChosen]);
  return (
    <UnstyledButton
      id={id}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      className={classes.option}
      onClick={onOpen}
      onMouseMove={() => isChosen || onChoose()}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
    >
      <Icon size={18} stroke={1.6} aria-hidden />
      <span className={classes.text}>
        {label}
        {description && (
          <Text span size="xs" c="dimmed" truncate display="block">
            {description}
          </Text>
        )}
      </span>
    </UnstyledButton>
  );
}
