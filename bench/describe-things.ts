const FIELDS = { type: 'array', items: { type: 'string', enum: ['name', 'price', 'colour'] } };

/** An OpenAPI description with some operations, whose names contain the word. */
export function describeThings(word: string, server: string, operations = 100): string {
  const paths = Array.from({ length: operations }, (_, n) => [
    `/things/${n}/{id}`,
    {
      get: {
        operationId: `${word}_get_${n}`,
        description: `Returns thing ${n} of ${word} by its id, with the fields that were asked for.`,
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            description: 'Id.',
            schema: { type: 'string' },
          },
          { name: 'fields', in: 'query', description: 'Names of fields.', schema: FIELDS },
        ],
        responses: { 200: { description: 'The thing.' } },
      },
    },
  ]);
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: word, version: '1' },
    servers: [{ url: server }],
    paths: Object.fromEntries(paths),
  });
}
