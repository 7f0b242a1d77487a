interface StarterFacts {
  readonly name: string;
  readonly tool: string;
  /** Base address, without a trailing slash. */
  readonly url: string;
}

/** A definition file to start from; it compiles as it is (docs/presets.md says what else there is). */
export const presetStarter = ({ name, tool, url }: StarterFacts): string => `openapi: 3.1.0
info:
  title: '${titleOf(name)}'
  version: 1.0.0
  # Whose data this is, its official name, its licence and its limits.
  description: >-
    What the API offers, by its provider. Licence: say which. Limit: say how many calls a day.
# The provider's own documentation.
externalDocs:
  url: ${url}
servers:
  - url: ${url}

# JSON pointers into an answer (XML as JSON, with the root element as a member): where its rows are, and the
# number of rows there are in all. An answer that is itself the list has its rows at ''.
x-items: /items
x-total: /total
# How the upstream says yes. With a result code instead: { code: /header/resultCode, values: ['00'], empty: ['03'] }
x-success: { present: /items }
# Seconds that a good answer may be served again.
x-cache-ttl: 3600

# An API that wants a key: uncomment this and securitySchemes below, and set the variable where the gateway runs.
# security:
#   - apiKey: []
# A service of data.go.kr: its key, result codes and XML refusals are known to the gateway.
# x-public-data: true

paths:
  /search:
    get:
      operationId: ${tool}
      summary: Search ${titleOf(name).toLowerCase()}
      # A model chooses and calls by this text alone.
      description: >-
        Say what a row is and what its units are, when to use this tool, when not, and which tool is better then.
        Explain codes, and what happens when an argument is left out.
      parameters:
        - name: query
          in: query
          required: true
          description: Words to look for.
          schema: { type: string, minLength: 1 }
          example: seoul
        - name: from
          in: query
          description: First day, YYYYMMDD. Thirty days ago when left out.
          schema: { type: string, pattern: '^\\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])$' }
          example: '20261101'
          # Worked out when the tool is called.
          x-default: days-ago-30-kst
        - name: page
          in: query
          description: Page number, from 1.
          schema: { type: integer, minimum: 1, default: 1 }
          example: 1
        # Always sent, and never asked for.
        - name: format
          in: query
          x-fixed: json
      responses:
        '200':
          description: One row per thing found.
          content:
            application/json:
              # The way to the rows, and every field of a row: the argument _fields chooses among them.
              schema:
                type: object
                properties:
                  total: { type: integer, description: Rows there are in all. }
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
#       description: Which key it is, and the address at which one gets it.
`;

const titleOf = (name: string): string => {
  const words = name.replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};
