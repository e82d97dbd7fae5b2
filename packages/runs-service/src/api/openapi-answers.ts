/** Parts of the OpenAPI document that several operations use. */

export const content = (name: string) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
});
export const answer = (name: string, description: string) => ({
  description,
  content: content(name),
});
export const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

export const reading = {
  401: problem('No key, or an unknown one'),
  429: problem('Too many requests'),
  500: problem('The service failed. Its log has the request under the ID of the response.'),
};
export const writing = {
  ...reading,
  403: problem("This key can't do this"),
  413: problem('Body too large'),
};
export const sending = {
  ...writing,
  400: problem('Malformed, or with an unsupported member'),
  415: problem('Not JSON'),
  422: problem('A field is too long, or has a character that is not allowed'),
};
export const filtered = { ...reading, 400: problem('Malformed, or with an unsupported parameter') };
/** Describes the header of requests that can be repeated. */
export const idempotencyKey = (description: string) => ({
  name: 'Idempotency-Key',
  in: 'header',
  description,
  schema: { type: 'string' },
});
