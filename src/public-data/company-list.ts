import type { ByteBudget } from '../platform/kernel/byte-budget.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { Secret } from '../platform/kernel/secret.ts';
import { Deadline } from '../platform/kernel/time.ts';
import type { Tool } from '../tools/model.ts';
import { createRequestEncoder } from '../tools/request/request-encoder.ts';
import type { RawResponse, RequestQuota, RequestSender } from '../tools/tool-connection.ts';

export interface CompanyListDeps {
  /** The kind of codes of companies, by which the tools that take them are recognised. */
  readonly kind: string;
  readonly limits: { readonly fetchMs: number; readonly zipBytes: number };
  readonly tools: readonly Tool[];
  readonly secretOf: (name: string) => Secret | undefined;
  readonly sender: RequestSender;
  /** Counts the requests for the list, which are sent with the key of this tool, at another path. */
  readonly quotaOf: (tool: Tool) => RequestQuota | undefined;
  readonly budget: ByteBudget;
}

/** OpenDART, "고유번호": all companies as a ZIP with one XML file. */
const PATH = '/corpCode.xml';
/** Whose share of the budget and of the upstream's slots the list uses: no tenant has this id. */
export const REQUESTER = 'gateway';

/**
 * The list of companies at the API whose tools take their codes (`x-code-kind: company`), with the same key; undefined if
 * there is no such tool.
 */
export function companyListOf(deps: CompanyListDeps) {
  const { kind, limits, tools, secretOf, sender, quotaOf, budget } = deps;
  const tool = tools.find(({ parameters }) =>
    parameters.some(({ source }) => source.kind === 'argument' && source.codeKind === kind),
  );
  const keyName = tool?.secrets[0];
  if (!tool || keyName === undefined) return undefined;
  // The request of the tool, at another path and without arguments.
  const parameters = tool.parameters.filter(({ source }) => source.kind === 'secret');
  const listing: Tool = { ...tool, method: 'GET', path: PATH, body: null, parameters };
  const encode = createRequestEncoder(listing);
  return {
    /** A tool that sends the same key. */
    tool,
    /** Its address, without the key. */
    source: tool.baseUrl.replace(/\/+$/, '') + PATH,
    keyName,
    key: () => secretOf(keyName),
    /** Fetches the ZIP. Rejects with GatewayErrors that do not name the key. */
    async fetchZip(): Promise<Buffer> {
      const memory = budget.open(REQUESTER);
      try {
        const response = await sender.send(encode({}, secretOf), {
          deadline: Deadline.in(limits.fetchMs),
          tenantId: REQUESTER,
          quota: quotaOf(listing),
          idempotent: true,
          memory,
          maxBytes: limits.zipBytes,
        });
        return zipOf(response, tool, keyName);
      } finally {
        memory.close();
      }
    },
  };
}

/** The ZIP of a response. A refusal is XML with a status. */
function zipOf({ status, body }: RawResponse, { payload }: Tool, keyName: string): Buffer {
  if (status === 200 && body.toString('latin1', 0, 2) === 'PK') return body;
  const [, code] = /<status>\s*(\d{1,5})\s*</.exec(body.toString('latin1', 0, 1000)) ?? [];
  if (code === undefined) throw notSent(`HTTP status ${status}`);
  const cause = payload.success?.causes[code];
  if (cause === 'quota') throw notSent(`status ${code}, the quota of the key is used up`);
  if (cause !== 'operator_key') throw notSent(`status ${code}`);
  throw new GatewayError(
    'missing_secret',
    `The list of companies cannot be fetched: the provider refuses ${keyName} (status ${code}). The operator of this gateway must check it.`,
  );
}

const notSent = (reason: string): GatewayError =>
  new GatewayError(
    'upstream_bad_payload',
    `The provider did not send the list of companies (${reason}). It is fetched again in a few minutes.`,
  );
