import { isObject, own, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import type { Licence } from '../../tools/model.ts';
import type {
  DatasetFacts,
  OfferedOperation,
  ProposalDraft,
  ProposalProblem,
  ProposedExtension,
} from '../../tools/proposal.ts';
import {
  type DescribedOperation,
  type DescribedParameter,
  type Description,
  readDescribed,
} from './described-operation.ts';
import { pageOfDataset } from './portal-page.ts';
import { type ResponseShape, shapeOfSchema } from './response-shape.ts';
import { type Meaning, meaningOf, placeCodesOf, samplesOf } from './samples.ts';

/** What a rule proposes for one operation. */
type Proposed = Omit<ProposedExtension, 'operation'>;

/** The gateway of the portal, behind which each institution answers in its own format. */
const API_HOSTS = ['apis.data.go.kr', 'api.data.go.kr'];
/** The portal's own service for files that it serves as tables. */
const FILE_HOST = 'api.odcloud.kr';

/** Where the portal itself takes its key. */
export const PORTAL_HOSTS = [...API_HOSTS, FILE_HOST];

/** How `api.odcloud.kr` answers, whatever the dataset. */
const FILE_SHAPE = {
  'x-items': '/data',
  'x-total': '/matchCount',
  'x-success': {
    code: '/code',
    failure: '/code',
    message: '/msg',
    causes: { '-4': 'operator_key', '-401': 'operator_key', '-10': 'quota' },
  },
};

/** Proposes extensions for a description of data.go.kr; undefined for a description of another publisher. */
export function proposePortal(document: unknown, facts: DatasetFacts): ProposalDraft | undefined {
  const description = readDescribed(document);
  if (!description) return undefined;
  const host = description.hosts.find((each) => PORTAL_HOSTS.includes(each));
  const problems = problemsOf(description, facts);
  const isForeign = host === undefined && facts.url === null;
  if (isForeign && description.operations.length > 0) return undefined;
  const isFile = host === FILE_HOST;
  const dataset = datasetOf(description, facts);
  const { operations } = description;
  const proposals = [
    ...(host === undefined ? [] : ofDocument(description, dataset, host)),
    ...(isFile ? olderRevisions(operations) : []),
    ...operations.flatMap((operation) =>
      ofOperation(description, operation, dataset, isFile).map((proposed) => ({
        operation: operation.name,
        ...proposed,
      })),
    ),
  ];
  const given = problems.length > 0 ? [] : proposals;
  return {
    family: isForeign ? null : 'data.go.kr',
    hosts: host === undefined ? [] : PORTAL_HOSTS,
    origin: description.origin,
    dataset,
    operations: operations.map((operation) => offered(operation, given)),
    proposals: given,
    problems,
  };
}

function problemsOf({ hosts, operations }: Description, { url }: DatasetFacts): ProposalProblem[] {
  const problem = (code: ProposalProblem['code'], message: string) => [{ code, message, url }];
  if (operations.length === 0) {
    return problem(
      'no_operations',
      'The description has no operations: the institution has not written any. Look for a document to download on the page of the dataset.',
    );
  }
  if (hosts.length > 0) return [];
  return problem(
    'no_host',
    'The description does not say at which address the API is. Register it with base_url.',
  );
}

const FILE_PATH = /^\/(\d{5,15})\/v1\//;

function datasetOf({ root, operations }: Description, facts: DatasetFacts): DatasetFacts {
  const id =
    facts.id ?? operations.flatMap(({ path }) => FILE_PATH.exec(path)?.[1] ?? [])[0] ?? null;
  const title = facts.title ?? (ownText(ownObject(root, 'info'), 'title')?.trim() || null);
  const publisher =
    facts.publisher ?? (title?.includes('_') ? (title.split('_')[0] ?? null) : null);
  return {
    ...facts,
    id,
    title,
    publisher,
    url: facts.url ?? (id === null ? null : pageOfDataset(id)),
  };
}

function ofDocument(
  { root }: Description,
  { id, url, licence, dailyCalls }: DatasetFacts,
  host: string,
): ProposedExtension[] {
  const place = own(root, 'host') === undefined ? '/servers' : '/host';
  const high = { operation: null, confidence: 'high' } as const;
  return [
    { ...high, extension: 'x-public-data', value: true, pointer: place, evidence: host },
    ...(id === null
      ? []
      : [
          {
            ...high,
            extension: 'x-dataset',
            value: url ?? pageOfDataset(id),
            pointer: '',
            evidence: id,
          },
        ]),
    ...(licence === null
      ? []
      : [
          {
            ...high,
            extension: 'x-licence',
            value: licenceOf(licence),
            pointer: '',
            evidence: licence,
          },
        ]),
    ...(dailyCalls === null
      ? []
      : [
          {
            ...high,
            extension: 'x-quota',
            value: { calls: dailyCalls },
            pointer: '',
            evidence: `${dailyCalls}`,
          },
        ]),
  ];
}

/** The Korea Open Government License has four types; other texts of the portal are no licence that has a code. */
function licenceOf(text: string): Licence {
  const type = /제\s*([1-4])\s*유형/.exec(text)?.[1];
  if (type === undefined) return { code: 'unknown', title: text, url: null };
  const url = `https://www.kogl.or.kr/info/licenseType${type}.do`;
  return { code: `KOGL-${type}`, title: text, url };
}

/** Of the revisions of one file, all but the newest: each is an operation of its own. */
function olderRevisions(operations: readonly DescribedOperation[]): ProposedExtension[] {
  const dated = operations.flatMap((operation) => {
    const summary = ownText(operation.value, 'summary') ?? '';
    const [, title = '', date] = /^(.*?)_?(\d{8})\s*$/.exec(summary) ?? [];
    return date === undefined ? [] : [{ operation, summary, title, date }];
  });
  return [...Map.groupBy(dated, ({ title }) => title).values()].flatMap((revisions) => {
    const [, ...older] = revisions.toSorted((a, b) => b.date.localeCompare(a.date));
    return older.map(({ operation: { name, pointer }, summary }) => ({
      operation: name,
      extension: 'x-exclude',
      value: true,
      pointer: `${pointer}/summary`,
      confidence: 'high' as const,
      evidence: summary,
    }));
  });
}

function ofOperation(
  description: Description,
  operation: DescribedOperation,
  dataset: DatasetFacts,
  isFile: boolean,
): Proposed[] {
  const shape = operation.schema && shapeOfSchema(description.root, operation.schema.value);
  const format = formatOf(operation);
  return [
    ...credentialOf(description, operation),
    ...(format ? [format] : []),
    ...(isFile ? fileShape(operation, shape) : portalShape(operation, shape, format)),
    ...nameOf(operation, dataset),
    ...valuesOf(description, operation),
    ...datesOf(operation),
    ...placeCodesOf(description.root, operation).map((found) => ({
      extension: 'x-code-kind',
      value: { [found.parameter.name.trim()]: found.kind },
      pointer: found.parameter.pointer,
      confidence: 'high' as const,
      evidence: evidenceOf(found.parameter),
    })),
  ];
}

/** The parameter that takes the key: most often `serviceKey`, else the one with a name of keys that is said to take it. */
function keyParameterOf({ parameters }: DescribedOperation): DescribedParameter | undefined {
  const plainName = ({ name }: DescribedParameter) => name.toLowerCase().replace(/[^a-z]/g, '');
  return (
    parameters.find((each) => plainName(each) === 'servicekey') ??
    parameters.find((each) => plainName(each).endsWith('key') && IS_KEY.test(each.text))
  );
}

const IS_KEY = /(인증|서비스)\s*키|(service|api|auth)\s*key/i;

/** The key as the operation spells it, or as the document's own schemes do; never a header, which the gateway of the portal ignores. */
function credentialOf({ root }: Description, operation: DescribedOperation): Proposed[] {
  const parameter = keyParameterOf(operation);
  const proposed = (value: string, pointer: string, evidence: string): Proposed[] => [
    { extension: 'x-credential', value, pointer, confidence: 'high', evidence },
  ];
  if (parameter) return proposed(parameter.name.trim(), parameter.pointer, evidenceOf(parameter));
  const [place, schemes] = isObject(own(root, 'securityDefinitions'))
    ? ['/securityDefinitions', ownObject(root, 'securityDefinitions')]
    : ['/components/securitySchemes', ownObject(ownObject(root, 'components'), 'securitySchemes')];
  for (const [key, scheme] of Object.entries(schemes)) {
    if (!isObject(scheme) || own(scheme, 'type') !== 'apiKey' || own(scheme, 'in') !== 'query')
      continue;
    const name = ownText(scheme, 'name')?.trim();
    if (name) return proposed(name, `${place}/${key}`, `apiKey: ${name}`);
  }
  return [];
}

const evidenceOf = ({ name, text }: DescribedParameter): string =>
  cut(text === '' ? name : `${name}: ${text}`);

/** Of evidence and titles. */
const MAX_TEXT = 200;
const cut = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, MAX_TEXT);

const FORMAT_NAMES = ['_type', 'datatype', 'resulttype', 'returntype', 'apitype'];
const FORMAT_WORD = /json|xml|format|포맷|포멧|응답\s*형식|데이터\s*타입|문서\s*형/i;

/** The parameter by which the format is chosen: JSON where it is offered, else XML where the parameter is required. */
function formatOf(operation: DescribedOperation): Proposed | undefined {
  const { parameters, produces } = operation;
  const parameter = parameters.find(({ name, text }) => {
    const known = name.trim().toLowerCase();
    return FORMAT_NAMES.includes(known) || (known === 'type' && FORMAT_WORD.test(text));
  });
  if (!parameter) return undefined;
  const format = produces.has('json') || /json/i.test(parameter.text) ? 'json' : 'xml';
  if (format === 'xml' && !parameter.isRequired) return undefined;
  const spelled = new RegExp(format, 'i').exec(parameter.text)?.[0];
  const value = { [parameter.name.trim()]: spelled ?? usualSpelling(parameter.name, format) };
  return {
    extension: 'x-fixed',
    value,
    pointer: parameter.pointer,
    confidence: spelled === undefined ? 'medium' : 'high',
    evidence: evidenceOf(parameter),
  };
}

/** Institutions that say nothing about it follow one of two houses. */
const usualSpelling = (name: string, format: string): string =>
  /type$/i.test(name.trim()) && !/^_?type$/i.test(name.trim()) ? format.toUpperCase() : format;

function fileShape({ pointer }: DescribedOperation, shape: ResponseShape | null): Proposed[] {
  const stated = {
    ...(shape?.rows && { 'x-items': shape.rows.at }),
    ...(shape?.rows && shape.total && { 'x-total': shape.total.at }),
  };
  return Object.entries({ ...FILE_SHAPE, ...stated }).map(([extension, value]) => ({
    extension,
    value,
    pointer,
    confidence: 'high',
    evidence: FILE_HOST,
  }));
}

/** Where most institutions have their rows behind the gateway of the portal. */
const USUAL_ROWS = '/response/body/items/item';
const USUAL_TOTAL = '/response/body/totalCount';
const USUAL_CODE = { code: '/response/header/resultCode', message: '/response/header/resultMsg' };

function portalShape(
  operation: DescribedOperation,
  shape: ResponseShape | null,
  format: Proposed | undefined,
): Proposed[] {
  const pointer = operation.schema?.pointer ?? `${operation.pointer}/responses`;
  const root = rootOf(operation, shape, format);
  const medium = { pointer, confidence: 'medium' } as const;
  const success = successOf(operation, shape, root);
  const rows = shape?.rows;
  return [
    {
      ...medium,
      extension: 'x-items',
      value: rows ? `${root}${rows.at}` : USUAL_ROWS,
      evidence: rows ? rows.path.join(' > ') : 'response > body > items > item',
    },
    ...(rows && !shape?.total
      ? []
      : [
          {
            ...medium,
            extension: 'x-total',
            value: rows && shape?.total ? `${root}${shape.total.at}` : USUAL_TOTAL,
            evidence: shape?.total?.path.join(' > ') ?? 'totalCount',
          },
        ]),
    ...success,
  ];
}

/** What stands before the places of the schema: `response`, which some services send and others leave out. */
function rootOf(
  { produces, schema }: DescribedOperation,
  shape: ResponseShape | null,
  format: Proposed | undefined,
): string {
  const outermost = shape?.outermost ?? [];
  if (outermost.includes('response')) return '';
  if (outermost.includes('header') || outermost.includes('body')) return '/response';
  const isJson = format ? /json/i.test(JSON.stringify(format.value)) : !produces.has('xml');
  const name = ownText(ownObject(schema?.value ?? {}, 'xml'), 'name');
  return !isJson && name ? `/${name}` : '';
}

function successOf(
  { codes, pointer }: DescribedOperation,
  shape: ResponseShape | null,
  root: string,
): Proposed[] {
  const meanings = codes.flatMap(({ code, value }) => {
    const meaning = meaningOf(value);
    return meaning === undefined ? [] : [[code, meaning] as const];
  });
  const codesOf = (wanted: Meaning): string[] =>
    meanings.flatMap(([code, meaning]) => (meaning === wanted ? [code] : []));
  const causes = Object.fromEntries(meanings.filter(([, meaning]) => meaning !== 'ok'));
  const [values, empty] = [codesOf('ok'), codesOf('no_data')];
  const place = shape?.rows && shape.code ? shape : undefined;
  const at = place
    ? {
        code: `${root}${place.code?.at}`,
        ...(place.message && { message: `${root}${place.message.at}` }),
      }
    : USUAL_CODE;
  const value = {
    ...at,
    ...(values.length > 0 && { values }),
    ...(empty.length > 0 && { empty: [...new Set(['03', ...empty])] }),
    ...(Object.keys(causes).length > 0 && { causes }),
  };
  const evidence = codes.map(({ code, value: text }) => `${code}: ${text}`).join('; ');
  return [
    {
      extension: 'x-success',
      value,
      pointer: codes[0]?.pointer ?? `${pointer}/responses`,
      confidence: 'high',
      evidence: cut(evidence === '' ? (place?.code?.path.join(' > ') ?? 'resultCode') : evidence),
    },
  ];
}

/** An id that says nothing, such as `getuddi:625d32e4-…`, gives way to the number of the dataset. */
function nameOf({ value, pointer }: DescribedOperation, { id }: DatasetFacts): Proposed[] {
  const operationId = ownText(value, 'operationId') ?? '';
  if (id === null || !/uddi|^[^A-Za-z]*$/i.test(operationId)) return [];
  return [
    {
      extension: 'x-tool-name',
      value: `dataset_${id}`,
      pointer: `${pointer}/operationId`,
      confidence: 'high',
      evidence: cut(operationId || 'operationId'),
    },
  ];
}

const PAGE_VALUES: Readonly<Record<string, string>> = {
  pageno: '1',
  numofrows: '10',
  page: '1',
  perpage: '10',
};

/** The values of a page, which every call may leave out, and the values of the document's own examples, for the test. */
function valuesOf({ root }: Description, operation: DescribedOperation): Proposed[] {
  const key = keyParameterOf(operation);
  const plain = operation.parameters.filter((each) => each !== key);
  const pages = plain.flatMap(({ name, isRequired, hasDefault }) => {
    const value = PAGE_VALUES[name.trim().toLowerCase()];
    return value === undefined || !isRequired || hasDefault ? [] : [[name.trim(), value] as const];
  });
  const samples = samplesOf(root, operation).filter(
    ({ name }) =>
      name !== key?.name.trim() &&
      formatOf(operation)?.pointer !==
        operation.parameters.find((each) => each.name.trim() === name)?.pointer,
  );
  const { pointer, parameters } = operation;
  return [
    ...(pages.length === 0
      ? []
      : [
          {
            extension: 'x-initial',
            value: Object.fromEntries(pages),
            pointer: parameters[0]?.pointer ?? pointer,
            confidence: 'high' as const,
            evidence: pages.map(([name]) => name).join(', '),
          },
        ]),
    ...(samples.length === 0
      ? []
      : [
          {
            extension: 'x-sample',
            value: Object.fromEntries(samples.map(({ name, value }) => [name, value])),
            pointer: samples[0]?.pointer ?? pointer,
            confidence: 'high' as const,
            evidence: cut(samples.map(({ name, value }) => `${name}=${value}`).join(', ')),
          },
        ]),
  ];
}

const BEGIN = /(start|strt|begin|bgn|from|st)[a-z_]*(date|dt|ymd|ym|de|day)?$|시작/i;
const END = /(end|to|ed)[a-z_]*(date|dt|ymd|ym|de|day)?$|종료|까지/i;

/** The computed default of a form of date, as the first day of a range and otherwise. */
const DATE_FORMS: readonly (readonly [RegExp, string, string])[] = [
  [/YYYY-MM-DD/i, 'days-ago-30-kst-dashed', 'yesterday-kst-dashed'],
  [/YYYYMMDD(?!HH)|년월일/i, 'days-ago-30-kst', 'today-kst'],
  [/YYYYMM(?!DD)/i, 'last-month-kst', 'last-month-kst'],
  [/(?<!Y)YYYY(?!MM|-)/i, 'year-kst', 'year-kst'],
];

/** Dates that the gateway could fill in. Only a person knows whether the dataset is that recent. */
function datesOf({ parameters }: DescribedOperation): Proposed[] {
  return parameters.flatMap((parameter) => {
    const form = DATE_FORMS.find(([pattern]) => pattern.test(parameter.text));
    if (!form || parameter.hasDefault) return [];
    const name = parameter.name.trim();
    const isFirst = BEGIN.test(name) && !END.test(name);
    return [
      {
        extension: 'x-default',
        value: { [name]: isFirst ? form[1] : form[2] },
        pointer: parameter.pointer,
        confidence: 'low' as const,
        evidence: evidenceOf(parameter),
      },
    ];
  });
}

/** What a person has to type for an operation before it can be called. */
function offered(
  operation: DescribedOperation,
  proposals: readonly ProposedExtension[],
): OfferedOperation {
  const filled = new Set(
    proposals
      .filter((each) => each.operation === operation.name && FILLING.includes(each.extension))
      .flatMap(({ value }) => Object.keys(Object(value))),
  );
  const summary = ownText(operation.value, 'summary');
  const key = keyParameterOf(operation);
  return {
    operation: operation.name,
    title: summary ? cut(summary) : null,
    asks: operation.parameters
      .filter((each) => each.isRequired && !each.hasDefault && each !== key)
      .map(({ name, text, example }) => ({
        name: name.trim(),
        description: cut(text) || null,
        example: example && cut(example),
      }))
      .filter(({ name }) => !filled.has(name)),
  };
}

const FILLING = ['x-fixed', 'x-initial', 'x-sample'];
