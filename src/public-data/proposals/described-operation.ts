import {
  type Located,
  parsePointer,
  pointerTo,
  valueAt,
} from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
} from '../../platform/kernel/plain-json.ts';

/** A parameter as the description writes it. */
export interface DescribedParameter {
  readonly name: string;
  readonly isRequired: boolean;
  /** What the parameter and its schema say about it. */
  readonly text: string;
  /** A value that the description shows; null without one. */
  readonly example: string | null;
  /** Whether the schema has a default. */
  readonly hasDefault: boolean;
  readonly pointer: string;
}

/** An operation of a Swagger 2.0 or OpenAPI 3 document, as far as the rules read it. */
export interface DescribedOperation {
  /** `GET /path`. */
  readonly name: string;
  readonly path: string;
  readonly value: JsonObject;
  readonly pointer: string;
  /** Those in the query. */
  readonly parameters: readonly DescribedParameter[];
  readonly produces: ReadonlySet<'json' | 'xml'>;
  /** The schema of a good response; null without one. */
  readonly schema: Located<JsonObject> | null;
  /** Members of `responses` that are no status of HTTP, with their texts. */
  readonly codes: readonly (Located<string> & { readonly code: string })[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
/** More than any description of the portal has; the rest gets no proposal. */
const MAX_OPERATIONS = 200;
const MAX_REFERENCES = 10;

export interface Description {
  readonly root: JsonObject;
  readonly hosts: readonly string[];
  /** Of the first server; null if the description names none. */
  readonly origin: string | null;
  readonly operations: readonly DescribedOperation[];
}

/** Reads what the rules need of a description; undefined for what is none. */
export function readDescribed(root: unknown): Description | undefined {
  if (!isObject(root)) return undefined;
  const operations = Object.entries(ownObject(root, 'paths')).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const value = isObject(item) ? own(item, method) : undefined;
      return isObject(item) && isObject(value) ? [{ path, item, method, value }] : [];
    }),
  );
  const addresses = addressesOf(root);
  return {
    root,
    hosts: addresses.map(({ hostname }) => hostname),
    origin: addresses[0]?.origin ?? null,
    operations: operations.slice(0, MAX_OPERATIONS).map((found) => describe(root, found)),
  };
}

/** Where the API is: by the `host` of Swagger 2.0, which may have a scheme or a path, or by the servers of OpenAPI 3. */
function addressesOf(root: JsonObject): URL[] {
  const [scheme = 'https'] = [own(root, 'schemes') ?? []].flat();
  const items = Object.values(ownObject(root, 'paths')).filter(isObject);
  const operations = items.flatMap((item) => METHODS.map((method) => ownObject(item, method)));
  const servers = [root, ...items, ...operations].flatMap(serversOf);
  return [ownText(root, 'host') ?? '', ...servers].flatMap((written) => {
    const [, given, place] = ADDRESS.exec(written.trim()) ?? [];
    return (place && URL.parse(`${given ?? scheme}://${place}`)) || [];
  });
}

/** An address without a scheme has a host with a dot; anything else is relative to the description. */
const ADDRESS = /^(?:(https?):)?(?:\/\/)?([\w-]+(?:\.[\w-]+)+.*)$/i;

function serversOf(holder: JsonObject): string[] {
  return [own(holder, 'servers') ?? []].flat().filter(isObject).map(serverAddress);
}

/** The address of a server, with the defaults of its variables. */
function serverAddress(server: JsonObject): string {
  const variables = ownObject(server, 'variables');
  return (ownText(server, 'url') ?? '').replace(/\{([^{}]{1,100})\}/g, (_, name: string) =>
    String(own(ownObject(variables, name), 'default') ?? ''),
  );
}

interface Found {
  readonly path: string;
  readonly item: JsonObject;
  readonly method: string;
  readonly value: JsonObject;
}

function describe(root: JsonObject, { path, item, method, value }: Found): DescribedOperation {
  const place = pointerTo('/paths', path);
  const pointer = pointerTo(place, method);
  const lists = [
    { value: own(item, 'parameters'), pointer: `${place}/parameters` },
    { value: own(value, 'parameters'), pointer: `${pointer}/parameters` },
  ];
  const responses = ownObject(value, 'responses');
  const success = followed(root, own(responses, '200') ?? own(responses, '201'));
  const schema = schemaOf(root, success, `${pointer}/responses/200`);
  return {
    name: `${method.toUpperCase()} ${path}`,
    path,
    value,
    pointer,
    parameters: lists.flatMap((list) => parametersIn(root, list)),
    produces: producesOf(root, value, success),
    schema,
    codes: Object.entries(responses).flatMap(([code, response]) => {
      const text = isObject(response) ? (ownText(response, 'description')?.trim() ?? '') : '';
      if (code.trim() === '' || isStatus(code) || text === '') return [];
      return [{ code: code.trim(), value: text, pointer: pointerTo(`${pointer}/responses`, code) }];
    }),
  };
}

const isStatus = (code: string): boolean => code === 'default' || /^[1-5](\d\d|XX)$/.test(code);

/** A value, or what its local reference leads to. */
export function followed(root: JsonObject, value: unknown): JsonObject {
  let current = value;
  for (let count = 0; count < MAX_REFERENCES && isObject(current); count++) {
    const reference = ownText(current, '$ref');
    if (reference === undefined) return current;
    if (!reference.startsWith('#/')) return {};
    current = valueAt(root, parsePointer(decoded(reference.slice(1))));
  }
  return {};
}

/** A reference as it is written if it is not a fragment of a URI. */
function decoded(fragment: string): string {
  try {
    return decodeURI(fragment);
  } catch {
    return fragment;
  }
}

function parametersIn(root: JsonObject, { value, pointer }: Located): DescribedParameter[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry, index) => {
    const parameter = followed(root, entry);
    const name = ownText(parameter, 'name');
    if (name === undefined || own(parameter, 'in') !== 'query') return [];
    const schema = ownObject(parameter, 'schema');
    const values = [own(parameter, 'enum'), own(schema, 'enum')].flat().filter(isText);
    const examples = [own(parameter, 'example'), own(parameter, 'x-example')].filter(isText);
    const [example = values[0] ?? null] = [...examples, own(schema, 'example')].filter(isText);
    return {
      name,
      isRequired: own(parameter, 'required') === true,
      text: [ownText(parameter, 'description') ?? '', ...values, ...examples].join(' ').trim(),
      example,
      hasDefault: [parameter, schema].some((each) => own(each, 'default') !== undefined),
      pointer: pointerTo(pointer, index),
    };
  });
}

const isText = (value: unknown): value is string => typeof value === 'string';

function producesOf(
  root: JsonObject,
  operation: JsonObject,
  success: JsonObject,
): ReadonlySet<'json' | 'xml'> {
  const listed = own(operation, 'produces') ?? own(root, 'produces');
  const types = [
    ...(Array.isArray(listed) ? listed : []),
    ...Object.keys(ownObject(success, 'content')),
  ].map(String);
  return new Set(
    (['json', 'xml'] as const).filter((kind) => types.some((type) => type.includes(kind))),
  );
}

function schemaOf(
  root: JsonObject,
  success: JsonObject,
  pointer: string,
): Located<JsonObject> | null {
  const [[type, media] = ['', undefined]] = Object.entries(ownObject(success, 'content'));
  const given = isObject(media) ? own(media, 'schema') : own(success, 'schema');
  if (!isObject(given)) return null;
  const place = isObject(media)
    ? `${pointerTo(`${pointer}/content`, type)}/schema`
    : `${pointer}/schema`;
  return { value: followed(root, given), pointer: place };
}
