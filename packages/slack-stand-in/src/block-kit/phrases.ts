/** Slack's wording of problems, from its open-source hack-json-schema and recorded responses. */
export const phrases = {
  missing: (field: string) => `missing required field: ${shorten(field)}`,
  unknown: (field: string) => `invalid additional property: ${shorten(field)}`,
  unsupported: (type: string) => `unsupported type: ${shorten(type)}`,
  /** Say the shortest length that is too long, as Slack does. For a limit of 3,000, it's "less than 3001". */
  tooLong: (limit: number) => `must be less than ${limit + 1} characters`,
  tooShort: (least: number) => `must be more than ${least - 1} characters`,
  tooMany: (limit: number) => `no more than ${limit} items allowed`,
  tooFew: (least: number) => `must provide at least ${least} items`,
  tooBig: (limit: number | bigint) => `must be less than ${limit}`,
  tooSmall: (least: number | bigint) => `must be greater than ${least}`,
  notInEnum: 'must be a valid enum value',
  notOfForm: (form: string) => `input must be a valid: ${form}`,
  notOfSchema: 'failed to match all allowed schemas',
  either: (...fields: string[]) => `must define either ${fields.map(quote).join(' or ')}`,
  oneOnly: (...fields: string[]) => `must define only one of ${fields.map(quote).join(', ')}`,
  taken: (field: string, value: string) => `\`${field}\` "${shorten(value)}" already exists`,
} as const;

/** Slack's wording for a wrong JSON type, by zod's name of the type. */
export const typePhrases: Readonly<Record<string, string>> = {
  string: 'must provide a string',
  number: 'must provide a number',
  int: 'must provide an integer',
  boolean: 'must be a boolean',
  array: 'must provide an array',
  object: 'must provide an object',
  record: 'must provide an object',
};

const quote = (field: string) => `\`${field}\``;

/** Shortens a field name or value, because a hostile one mustn't make the response long. */
const shorten = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
