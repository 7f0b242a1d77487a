import {
  Accordion,
  Alert,
  Anchor,
  Badge,
  Checkbox,
  Code,
  Group,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Facts } from '../shared/facts.tsx';
import { useFormat } from '../shared/use-format.ts';
import {
  type Choice,
  decisions,
  type Proposal,
  type Proposed,
  shownValue,
  valueIn,
} from './dataset-choice.ts';

interface ProposalViewProps {
  readonly proposal: Proposal;
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
}

/** What was found, which operations become tools, and what is added to each, with its reasons. */
export function ProposalView(props: ProposalViewProps) {
  const { t } = useTranslation('apis');
  const { proposal, choice, onChange } = props;
  return (
    <Stack gap="md" maw="56rem">
      <DatasetFacts proposal={proposal} />
      {proposal.operations.length > 0 && (
        <Checkbox.Group
          label={t('dataset.operations')}
          value={[...choice.operations]}
          onChange={(operations) => onChange({ ...choice, operations: new Set(operations) })}
        >
          <Stack gap={6} mt={6}>
            {proposal.operations.map(({ operation, title }) => (
              <Checkbox
                key={operation}
                value={operation}
                label={title ?? operation}
                description={title ? operation : undefined}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
      {proposal.proposals.length > 0 && (
        <Accordion variant="contained" multiple order={3}>
          {[null, ...choice.operations].map((operation) => (
            <Decisions key={operation ?? ''} operation={operation} {...props} />
          ))}
        </Accordion>
      )}
    </Stack>
  );
}

function DatasetFacts({
  proposal: { dataset, licence, description },
}: Pick<ProposalViewProps, 'proposal'>) {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  const facts = {
    [t('dataset.name')]: dataset.title,
    [t('dataset.publisher')]: dataset.publisher,
    [t('dataset.licence')]: licence,
    [t('dataset.origin')]: description.origin,
    [t('dataset.daily')]: dataset.dailyCalls === null ? null : count(dataset.dailyCalls),
    [t('dataset.page')]: dataset.url && (
      <Anchor href={dataset.url} target="_blank" rel="noreferrer" size="sm">
        {dataset.url}
      </Anchor>
    ),
  };
  return Object.values(facts).some(Boolean) && <Facts facts={facts} />;
}

function Decisions({
  operation,
  proposal,
  choice,
  onChange,
}: ProposalViewProps & { readonly operation: string | null }) {
  const { t } = useTranslation('apis');
  const shown = decisions(proposal, operation);
  const on = shown.filter(({ id }) => choice.on.has(id)).length;
  const title = proposal.operations.find((each) => each.operation === operation)?.title;
  if (shown.length === 0) return null;
  const toggle = (id: string, isOn: boolean) => {
    const next = new Set(choice.on);
    if (isOn) next.add(id);
    else next.delete(id);
    onChange({ ...choice, on: next });
  };
  return (
    <Accordion.Item value={valueOfItem(proposal, operation)}>
      <Accordion.Control>
        <Text size="sm" fw={550}>
          {operation === null ? t('dataset.document') : (title ?? operation)}
        </Text>
        <Text size="xs" c="dimmed">
          {t('dataset.additions', { count: on, all: shown.length })}
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="md">
          {shown.map((proposed) => (
            <Decision
              key={proposed.id}
              proposed={proposed}
              value={valueIn(choice, proposed)}
              isOn={choice.on.has(proposed.id)}
              onChange={(isOn) => toggle(proposed.id, isOn)}
            />
          ))}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

/** What an extension is called in words. */
export function useExtensionName(): (extension: string) => string {
  const { t, i18n } = useTranslation('apis');
  return (extension) =>
    i18n.exists(`apis:dataset.extension.${extension}`)
      ? t(`dataset.extension.${extension as 'x-items'}`)
      : extension;
}

const WRAPPING = { whiteSpace: 'normal', overflowWrap: 'anywhere' } as const;

/** Part of an id in the page, so without blanks. */
const valueOfItem = ({ operations }: Proposal, operation: string | null): string =>
  `operation-${operations.findIndex((each) => each.operation === operation) + 1}`;

interface DecisionProps {
  readonly proposed: Proposed;
  readonly value: unknown;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Decision({ proposed, value, isOn, onChange }: DecisionProps) {
  const { t } = useTranslation('apis');
  const nameOf = useExtensionName();
  const { extension, confidence, evidence } = proposed;
  return (
    <Switch
      checked={isOn}
      onChange={(event) => onChange(event.currentTarget.checked)}
      label={
        <Group gap="xs">
          {nameOf(extension)}
          <Badge
            size="sm"
            tt="none"
            {...(confidence === 'high'
              ? { variant: 'light', color: 'celadon' }
              : { variant: 'default' })}
          >
            {t(`dataset.confidence.${confidence}`)}
          </Badge>
        </Group>
      }
      description={
        <>
          <Code style={WRAPPING}>{shownValue(value)}</Code> {t('dataset.because', { evidence })}
        </>
      }
    />
  );
}

/** Why there is nothing to register, or what must be given beside. */
export function Problems({ proposal }: Pick<ProposalViewProps, 'proposal'>) {
  const { t } = useTranslation('apis');
  return proposal.problems.map(({ code, url }) => (
    <Alert
      key={code}
      color="yellow"
      role="alert"
      icon={<IconAlertTriangle aria-hidden />}
      mb="md"
      maw="56rem"
    >
      {t(`dataset.problem.${code}`)}{' '}
      {url && (
        <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
          {url}
        </Anchor>
      )}
    </Alert>
  ));
}
