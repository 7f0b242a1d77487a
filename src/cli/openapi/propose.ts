import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { StartupError } from '../../platform/kernel/error.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import { PROPOSAL_VIEW, type ProposalView } from '../../registrations/proposals/proposals.ts';
import { cleanText } from '../../tools/compile/clean-text.ts';
import type { ChosenExtension } from '../../tools/proposal.ts';
import {
  askGateway,
  formRequest,
  type Gateway,
  notAGateway,
  send,
} from '../shared/gateway-request.ts';
import { count, formatTable } from '../shared/output.ts';
import { isAddress } from './fetch-document.ts';
import { readDocumentFile } from './read-document-file.ts';

const PATH = '/api/v1/register/proposals';

/** The number of a dataset, or the address of a page without `https://`. */
const isPasted = (source: string): boolean =>
  /^\d{5,15}$/.test(source) || /^(www\.)?data\.go\.kr\//i.test(source) || isAddress(source);

/** Asks a running gateway what it would add to a description. Throws StartupError for a refusal. */
export async function propose(gateway: Gateway, source: string): Promise<ProposalView> {
  const body: unknown = isPasted(source)
    ? await askGateway(gateway, 'POST', PATH, { source })
    : await send(gateway, await formRequest(PATH, {}, (await readDocumentFile(source)).text));
  if (!Value.Check(Type.Object(PROPOSAL_VIEW.properties), body)) throw notAGateway(gateway.url);
  return body as ProposalView;
}

/** What a registration takes unless a person decides otherwise. Throws StartupError where nothing can be registered. */
export function extensionsOf({
  proposals,
  problems,
  description,
}: ProposalView): ChosenExtension[] {
  if (!description.isAvailable) {
    throw new StartupError(
      problems.map(({ message }) => message).join('\n') || 'There is no description.',
    );
  }
  return proposals
    .filter(({ confidence }) => confidence !== 'low')
    .map(({ operation, extension, value }) => ({ operation, extension, value }));
}

/** Of a stranger's description: without what controls a terminal. */
const cleaned = (text: string): string => cleanText(text, 4000).replaceAll('\n', ' ');

/** A proposal for a terminal. */
export function formatProposal(proposal: ProposalView, source: string): string {
  const { dataset, licence, operations, proposals, problems, family } = proposal;
  const facts = [
    dataset.title,
    dataset.publisher,
    dataset.url,
    licence,
    dataset.dailyCalls === null ? null : `${dataset.dailyCalls} calls a day`,
    proposal.description.origin && `The API is at ${proposal.description.origin}`,
  ].filter((fact) => fact !== null);
  const rows = proposals.map(({ operation, extension, value, confidence, evidence }) => [
    operation ?? 'the document',
    extension,
    JSON.stringify(value),
    confidence,
    evidence,
  ]);
  const asking = operations.filter(({ asks }) => asks.length > 0);
  return [
    ...facts.map((fact) => `${cleaned(fact)}\n`),
    ...problems.map(
      ({ message, url }) => `${cleaned(message)}${url ? `\n  ${cleaned(url)}` : ''}\n`,
    ),
    rows.length > 0
      ? `\n${formatTable(['OPERATION', 'EXTENSION', 'VALUE', 'CONFIDENCE', 'EVIDENCE'], rows)}`
      : '',
    ...asking.map(
      ({ operation, asks }) => `${cleaned(`A call of ${operation} needs ${asks.join(', ')}.`)}\n`,
    ),
    family === null && problems.length === 0
      ? 'Nothing is known of such descriptions: register it as it is.\n'
      : '',
    proposal.description.isAvailable
      ? `\n${count(operations.length, 'operation')}. To register with all but "low", run: ${commandLine(`register ${source} --propose --name <name>`)}\n`
      : '',
  ].join('');
}
