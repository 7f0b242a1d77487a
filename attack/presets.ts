/** Tools of the attacking tenant, one for each way in which an upstream can misbehave. */
export const ARENA_PRESET = (baseUrl: string): string => `openapi: 3.1.0
info: { title: Hostile, version: "1" }
servers: [{ url: "${baseUrl}" }]
paths:
  /rows:
    get:
      operationId: arena_rows
      description: Forty rows.
      x-items: /rows
      parameters:
        - { name: n, in: query, description: Any number., schema: { type: integer } }
      responses: { "200": { description: The rows., content: { application/json: { schema: { type: object, properties: { rows: { type: array, items: { type: object, properties: { id: { type: string }, name: { type: string }, value: { type: integer } } } } } } } } } }
  /sheet:
    get:
      operationId: arena_sheet
      description: Rows with hostile cells.
      x-items: /rows
      parameters:
        - { name: n, in: query, description: Any number., schema: { type: integer } }
        - { name: rows, in: query, description: Further rows., schema: { type: integer } }
        - { name: noise, in: query, description: Whether they cannot be compressed., schema: { type: integer } }
      responses: { "200": { description: The rows. } }
  /pages:
    get:
      operationId: arena_pages
      x-cache-ttl: 0
      description: Rows in pages that cannot be trusted.
      x-items: /rows
      x-total: /total
      parameters:
        - { name: kind, in: query, required: true, description: What is wrong., schema: { type: string } }
        - { name: n, in: query, description: Any number., schema: { type: integer } }
        - { name: day, in: query, description: "A day, YYYYMMDD.", schema: { type: string } }
        - { name: page, in: query, description: A page., schema: { type: integer, default: 1 } }
        - { name: limit, in: query, description: Rows per page., schema: { type: integer, default: 10, maximum: 100 } }
      responses: { "200": { description: The rows. } }
  /large:
    get:
      operationId: arena_large
      description: A response of a given size.
      parameters:
        - { name: mib, in: query, required: true, description: Its size., schema: { type: integer, minimum: 1, maximum: 10 } }
        - { name: n, in: query, description: Any number., schema: { type: integer } }
      responses: { "200": { description: The data. } }
  /slow:
    get:
      operationId: arena_slow
      x-cache-ttl: 0
      description: Responds late.
      parameters:
        - { name: ms, in: query, required: true, description: Delay in milliseconds., schema: { type: integer } }
      responses: { "200": { description: Nothing. } }
  /fail:
    get:
      operationId: arena_fail
      x-cache-ttl: 0
      description: Fails.
      responses: { "200": { description: Never. } }
  /echo:
    get:
      operationId: arena_echo
      description: Repeats the secret in every spelling.
      parameters:
        - { name: token, in: query, x-secret: ARENA_SECRET, schema: { type: string } }
        - { name: status, in: query, description: The status., schema: { type: integer, default: 200 } }
      responses: { "200": { description: The spellings. } }
  /list:
    post:
      operationId: arena_list
      description: Accepts a list.
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { values: { type: array, items: { type: integer }, description: Numbers. } } }
      responses: { "200": { description: Nothing. } }
`;

/** The only tool of the harmless tenant, at its own upstream. */
export const VICTIM_PRESET = (baseUrl: string): string => `openapi: 3.1.0
info: { title: Victim, version: "1" }
servers: [{ url: "${baseUrl}" }]
paths:
  /rows:
    get:
      operationId: victim_rows
      description: Forty rows.
      parameters:
        - { name: n, in: query, required: true, description: Any number., schema: { type: integer } }
      responses: { "200": { description: The rows. } }
`;
