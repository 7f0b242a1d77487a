import { type Html, type HtmlPart, html, writePage } from '../../dialects/rest/html-page.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { LOCAL_ADDRESS } from './describe-api.ts';
import { REFERENCE_SCRIPT, REFERENCE_STYLE } from './reference-look.ts';

/** What the page reads of an OpenAPI description that `describeApi` wrote. */
interface Description {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Response {
  readonly description: string;
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, { description: string; schema: Schema }>>;
}

type Content = Readonly<Record<string, { schema: Schema; examples?: Examples }>>;
type Examples = Readonly<Record<string, { summary: string; value: unknown }>>;
type Schema = Readonly<Record<string, unknown>>;

/** An operation with its method in capitals and its path. */
interface Addressed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The description as a page for people. Without `BASE_URL`, the page itself finds out where the gateway is. */
export function writeReference(
  description: object,
  baseUrl: string,
): { readonly markup: string; readonly headers: Readonly<Record<string, string>> } {
  const { info, tags, paths, components } = description as Description;
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(
      ([method, operation]): Addressed => ({ method: method.toUpperCase(), path, operation }),
    ),
  );
  const groups = tags.map((tag) => ({
    ...tag,
    id: `tag-${tag.name.toLowerCase().replaceAll(/\W/g, '-')}`,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const address = URL.canParse(baseUrl)
    ? baseUrl
    : html`<span class="gateway">${LOCAL_ADDRESS}</span>`;
  const show = { address, common: components.responses };
  const content = html`<div class="columns">
<nav aria-label="Operations"><ul>${groups.map(listGroup)}<li><a href="#schemas">Schemas</a></li></ul></nav>
<main>
<h1>${info.title}</h1>
<p class="dimmed">Version ${info.version} · <a href="../openapi.json">openapi.json</a></p>
${showMarkdown(info.description, address)}
${groups.map(
  ({ id, name, description: text, operations: members }) => html`<section id="${id}">
<h2>${name}</h2>
<p>${showText(text)}</p>
${members.map((each) => showOperation(each, show))}
</section>`,
)}
<section id="schemas">
<h2>Schemas</h2>
${Object.entries(components.schemas).map(showSchema)}
</section>
</main>
</div>
<p role="status" class="hidden"></p>`;
  return writePage({
    language: 'en',
    title: info.title,
    root: '../',
    style: REFERENCE_STYLE,
    script: REFERENCE_SCRIPT,
    content,
  });
}

type Group = Description['tags'][number] & { id: string; operations: readonly Addressed[] };

const listGroup = (group: Group): Html =>
  html`<li><a href="#${group.id}">${group.name}</a><ul>${group.operations.map(listOperation)}</ul></li>`;

const listOperation = ({ method, operation: { operationId, summary } }: Addressed): Html =>
  html`<li><a href="#${operationId}"><span class="method">${method}</span> ${firstSentence(summary)}</a></li>
`;

const firstSentence = (text: string): string => /^.*?(?=\.(?:\s|$)|$)/s.exec(text)?.[0] ?? text;

interface Show {
  /** Of the gateway; without BASE_URL, the script of the page writes it. */
  readonly address: HtmlPart;
  readonly common: Readonly<Record<string, Response>>;
}

function showOperation(addressed: Addressed, { address, common }: Show): Html {
  const { method, path, operation } = addressed;
  const { operationId, summary, description, security, parameters = [], requestBody } = operation;
  return html`<article id="${operationId}">
<h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
<p><span class="method">${method}</span> <code>${path}</code>${security.length === 0 && html` <span class="dimmed">· needs no API key</span>`}</p>
${description !== undefined && html`<p>${showText(description)}</p>`}
${showCommand(curlOf(addressed), address, operationId)}
${parameters.length > 0 && html`<h4>Parameters</h4>${showMembers(parameters.map(memberOfParameter))}`}
${requestBody && html`<h4>Request body</h4>${showContent(requestBody.content)}`}
<h4>Responses</h4>
<dl>${Object.entries(operation.responses).map(([status, response]) => {
    if (!('$ref' in response)) return showResponse(status, response);
    // What many operations have in common is a refusal, whose form the introduction says.
    const { content: _, ...refusal } = common[lastName(response.$ref)] ?? { description: '' };
    return showResponse(status, refusal);
  })}</dl>
</article>`;
}

function memberOfParameter(parameter: Parameter): Member {
  const { name, required, description, schema } = parameter;
  const note = `in the ${parameter.in}${required ? ', required' : ''}`;
  return { name, note, schema: { ...schema, description } };
}

function showResponse(status: string, response: Response): Html {
  const { description, content = {}, headers = {} } = response;
  const ofHeaders = Object.entries(headers).map(
    ([name, header]) => html`<p>Header <code>${name}</code>: ${showText(header.description)}</p>`,
  );
  return html`<div><dt><code>${status}</code> ${showText(description)}</dt>
<dd>${showContent(content)}${ofHeaders}</dd></div>`;
}

const showContent = (content: Content): Html[] =>
  Object.entries(content).map(([type, { schema, examples = {} }]) => {
    const all = Object.values(examples).map(
      ({ summary, value }) => html`<details><summary>Example: ${summary}</summary>
<pre>${JSON.stringify(value, null, 2)}</pre></details>`,
    );
    return html`<p class="dimmed"><code>${type}</code>: ${typeOf(schema)}</p>${showInside(schema)}${all}`;
  });

function showSchema([name, schema]: readonly [string, Schema]): Html {
  return html`<article id="schema-${name}">
<h3><a href="#schema-${name}">${name}</a></h3>
<p>${typeOf(schema)} ${showRules(schema)}</p>
${showInside(schema)}
</article>`;
}

interface Member {
  readonly name: string;
  readonly note: string | undefined;
  readonly schema: Schema;
}

const showMembers = (members: readonly Member[]): Html => html`<dl>${members.map(showMember)}</dl>`;

function showMember({ name, note, schema }: Member): Html {
  const type = html`${typeOf(schema)}${note !== undefined && `, ${note}`}`;
  return html`<div><dt><code>${name}</code> <span class="dimmed">${type}</span></dt>
<dd>${showRules(schema)}${showInside(schema)}</dd></div>`;
}

/** The members of an object, of the items of a list, or of alternatives; a reference leads to its own place instead. */
function showInside(schema: Schema): HtmlPart {
  const { properties, items, additionalProperties, required } = schema;
  if (isObject(properties)) {
    const names: readonly unknown[] = Array.isArray(required) ? required : [];
    return showMembers(
      Object.entries(properties).map(([name, member]) => ({
        name,
        note: names.includes(name) ? 'required' : undefined,
        schema: member as Schema,
      })),
    );
  }
  return [items, additionalProperties, ...branchesOf(schema).flat()]
    .filter(isObject)
    .map(showInside);
}

const branchesOf = ({ anyOf, oneOf, allOf }: Schema): Schema[][] =>
  [anyOf, oneOf, allOf].filter((branches) => Array.isArray(branches));

/** The type in words, such as `array of Tool or null`. */
function typeOf(schema: Schema): HtmlPart {
  const { $ref, type, items, format, additionalProperties } = schema;
  if (typeof $ref === 'string') {
    const name = lastName($ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if ('const' in schema) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  if (Array.isArray(schema['enum'])) {
    return joined(schema['enum'].map((value) => html`<code>${JSON.stringify(value)}</code>`));
  }
  const [branches] = branchesOf(schema);
  if (branches) return joined(branches.map(typeOf), 'allOf' in schema ? ' and ' : ' or ');
  const types = [type ?? 'any'].flat().map((name): HtmlPart => {
    if (name === 'array' && isObject(items)) return html`array of ${typeOf(items)}`;
    if (name === 'object' && isObject(additionalProperties)) {
      return html`object of ${typeOf(additionalProperties)}`;
    }
    return name === 'string' && typeof format === 'string' ? `string (${format})` : String(name);
  });
  return joined(types);
}

const joined = (parts: readonly HtmlPart[], between: HtmlPart = ' or '): HtmlPart =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [between, part]));

/** What is said about a value, and its bounds. */
function showRules(schema: Schema): HtmlPart {
  const { description, pattern } = schema;
  const rules = [
    range(schema['minLength'], schema['maxLength'], ' characters'),
    range(schema['minItems'], schema['maxItems'], ' items'),
    range(schema['minimum'], schema['maximum'], ''),
    'default' in schema && `default ${JSON.stringify(schema['default'])}`,
    typeof pattern === 'string' && `matches ${pattern}`,
  ].filter((rule) => rule !== false);
  return [
    typeof description === 'string' && showText(description),
    rules.length > 0 && html` <span class="dimmed">(${rules.join(', ')})</span>`,
  ];
}

function range(least: unknown, most: unknown, unit: string): string | false {
  if (most === undefined) return least !== undefined && `at least ${least}${unit}`;
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
}

const lastName = (reference: string): string => reference.split('/').at(-1) ?? '';

/** A text in which back quotes mark code. */
const showText = (text: string): HtmlPart =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));

/** The Markdown of the introduction: headings, paragraphs and code blocks. */
function showMarkdown(text: string, address: HtmlPart): HtmlPart {
  return text.split(/^```.*\n/m).map((block, index) => {
    if (index % 2 === 1) return showCommand(block.trimEnd(), address);
    return block
      .trim()
      .split(/\n\n+/)
      .filter((paragraph) => paragraph !== '')
      .map((paragraph) =>
        paragraph.startsWith('## ')
          ? html`<h2>${paragraph.slice(3)}</h2>`
          : html`<p>${showText(paragraph)}</p>`,
      );
  });
}

/** A command that the script of the page lets people copy. */
const showCommand = (command: string, address: HtmlPart, about?: string): Html =>
  html`<pre class="command"${about !== undefined && html` data-about="${about}-title"`}>${joined(command.split(LOCAL_ADDRESS), address)}</pre>`;

/** A request with the first example as its body. `$KEY` and the names of the path are variables of the shell. */
function curlOf({ method, path, operation }: Addressed): string {
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const [example] = Object.values(body?.examples ?? {});
  const isStream = Object.values(operation.responses).some(
    (response) => 'content' in response && 'text/event-stream' in (response.content ?? {}),
  );
  const verb = method === 'GET' || (method === 'POST' && example) ? '' : ` -X ${method}`;
  return [
    `curl -s${isStream ? 'N' : ''}${verb} "${LOCAL_ADDRESS}${path.replaceAll(/\{(\w+)\}/g, '$$$1')}"`,
    operation.security.length > 0 && '-H "x-api-key: $KEY"',
    type !== undefined && example && `-H 'content-type: ${type}'`,
    example && `-d '${JSON.stringify(example.value, null, 2).replaceAll("'", String.raw`'\''`)}'`,
  ]
    .filter((line) => line)
    .join(' \\\n  ');
}
