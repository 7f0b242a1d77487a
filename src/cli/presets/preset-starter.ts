/** What the author must write: a preset that still has one of these texts is not finished. */
export const STARTER_TEXTS = {
  publisher: 'The provider',
  tool: 'Say what a row is and what its units are,',
} as const;

interface StarterFacts {
  readonly name: string;
  readonly tool: string;
  /** Base address, without a trailing slash. */
  readonly url: string;
}

/** A definition file to start from, which compiles unchanged. docs/presets.md describes all extensions. */
export const presetStarter = ({ name, tool, url }: StarterFacts): string => `openapi: 3.1.0
info:
  title: '${titleOf(name)}'
  version: 1.0.0
  # The provider, the official name of the data, its licence and its limits.
  description: >-
    What the API offers, by its provider. Licence: name it. Limit: state the calls per day.
# The documentation of the provider.
externalDocs:
  url: ${url}
servers:
  - url: ${url}

# Who publishes the data, under which terms, and the time to which they refer. Write unknown where nobody says it.
x-publisher: ${STARTER_TEXTS.publisher}
x-licence: unknown
x-as-of: fetch

# JSON pointers into a response (XML as JSON, with the root element as a member) to its rows, and to the total
# number of rows. If the response itself is the list, its rows are at ''.
x-items: /items
x-total: /total
# How to recognise success. With a result code instead: { code: /header/resultCode, values: ['00'], empty: ['03'] }
x-success: { present: /items }
# Seconds for which a good response may be served from the cache.
x-cache-ttl: 3600

# If the API requires a key, uncomment this and securitySchemes below, and set the variable where the gateway runs.
# security:
#   - apiKey: []
# For a service of data.go.kr. The gateway knows its key, result codes and XML refusals.
# x-public-data: true

paths:
  /search:
    get:
      operationId: ${tool}
      summary: Search ${titleOf(name).toLowerCase()}
      # A model chooses and calls the tool by this text alone.
      description: >-
        ${STARTER_TEXTS.tool} when to use this tool, when not, and which tool to use instead.
        Explain codes, and what happens when an argument is omitted.
      parameters:
        - name: query
          in: query
          required: true
          description: Words to search for.
          schema: { type: string, minLength: 1 }
          example: seoul
        - name: from
          in: query
          description: First day, YYYYMMDD. Defaults to thirty days ago.
          schema: { type: string, pattern: '^\\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])$' }
          example: '20261101'
          # Computed when the tool is called.
          x-default: days-ago-30-kst
        - name: page
          in: query
          description: Page number, from 1.
          schema: { type: integer, minimum: 1, default: 1 }
          example: 1
        # Always sent; not an argument of the tool.
        - name: format
          in: query
          x-fixed: json
      responses:
        '200':
          description: One row per result.
          content:
            application/json:
              # The path to the rows, and every field of a row. The argument _fields selects from these.
              schema:
                type: object
                properties:
                  total: { type: integer, description: Total number of rows. }
                  items:
                    type: array
                    items:
                      type: object
                      properties:
                        id: { type: string, description: Identifier. }
                        name: { type: string, description: Name. }

# components:
#   securitySchemes:
#     apiKey:
#       type: apiKey
#       in: query
#       name: key
#       x-secret: ${name.replaceAll('-', '_').toUpperCase()}_API_KEY
#       description: Which key it is, and where to get it.
`;

const titleOf = (name: string): string => {
  const words = name.replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};
