/** Defines the fields of a question that is a form. Checks the values that people enter. */
import { z } from 'zod';
import { optional } from './optional.ts';

/**
 * Schema of a form field. `kind` is `text`, `number`, `integer`, `boolean`, `choice` (one option) or `choices`
 * (several). Unknown kinds are treated as text.
 */
export const questionFieldSchema = z.looseObject({
  name: z.string(),
  label: z.string(),
  description: optional(z.string()),
  kind: z.string(),
  is_required: optional(z.boolean()),
  options: optional(z.array(z.looseObject({ id: z.string(), label: z.string() }))),
  /** Minimum number, or minimum count of characters or choices. */
  minimum: optional(z.number()),
  maximum: optional(z.number()),
});
export type QuestionField = z.infer<typeof questionFieldSchema>;

export const fieldValueSchema = z.union([
  z.string().max(20_000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(1_000)).max(100),
]);
export type FieldValue = z.infer<typeof fieldValueSchema>;
export type FieldValues = Readonly<Record<string, FieldValue>>;

type Read = { value: FieldValue | undefined } | { problem: string };

/**
 * Reads the value that a form sends for a field. An empty text or list means no value.
 * @param input text as entered; `true` or `false` for a boolean; option IDs for choices
 */
export function readFieldValue(field: QuestionField, input: string | readonly string[]): Read {
  const value = enteredIn(field, input);
  const problem = fieldProblem(field, value);
  return problem === undefined ? { value } : { problem };
}

function enteredIn(
  field: QuestionField,
  input: string | readonly string[],
): FieldValue | undefined {
  if (field.kind === 'choices') {
    const ids = typeof input === 'string' ? [input] : [...input];
    return ids.length > 0 ? ids : undefined;
  }
  const text = (typeof input === 'string' ? input : (input[0] ?? '')).trim();
  if (text === '') return undefined;
  if (field.kind === 'boolean') return text === 'true';
  return field.kind === 'number' || field.kind === 'integer' ? Number(text) : text;
}

/** Returns a sentence that tells the person why the entered value is invalid. Returns undefined if it's valid. */
export function fieldProblem(field: QuestionField, value: unknown): string | undefined {
  if (value === undefined) return field.is_required ? 'Enter an answer.' : undefined;
  switch (field.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Choose yes or no.';
    case 'number':
    case 'integer':
      return isNumber(field, value) ? undefined : numberHint(field);
    case 'choice':
      return isOption(field, value) ? undefined : 'Choose one of the options.';
    case 'choices':
      return Array.isArray(value) && isDistinct(value) && value.every((id) => isOption(field, id))
        ? sizeProblem(field, value.length, 'options')
        : 'Choose some of the options.';
    default:
      return typeof value === 'string'
        ? sizeProblem(field, [...value].length, 'characters')
        : 'Enter text.';
  }
}

const isDistinct = (values: readonly unknown[]) => new Set(values).size === values.length;
const isOption = ({ options }: QuestionField, value: unknown) =>
  (options ?? []).some(({ id }) => id === value);

function isNumber({ kind, ...field }: QuestionField, value: unknown): boolean {
  const { minimum, maximum } = limitsOf(field);
  return (
    typeof value === 'number' &&
    Number.isFinite(value) &&
    value >= minimum &&
    value <= maximum &&
    (kind === 'number' || Number.isInteger(value))
  );
}

type Limits = Pick<QuestionField, 'minimum' | 'maximum'>;
const limitsOf = ({ minimum, maximum }: Limits) => ({
  minimum: minimum ?? -Infinity,
  maximum: maximum ?? Infinity,
});

const range = ({ minimum, maximum }: Limits): string =>
  [
    ...(typeof minimum === 'number' ? [`, at least ${minimum}`] : []),
    ...(typeof maximum === 'number' ? [`, at most ${maximum}`] : []),
  ].join('');

const numberHint = (field: QuestionField): string =>
  `Enter a ${field.kind === 'integer' ? 'whole number' : 'number'}${range(field)}.`;

function sizeProblem(field: QuestionField, size: number, unit: string): string | undefined {
  const { minimum, maximum } = limitsOf(field);
  if (size >= minimum && size <= maximum) return undefined;
  return `The number of ${unit} must be${range(field).slice(1)}.`;
}

/** Returns the entered values in one line. */
export function valuesInWords(fields: readonly QuestionField[], values: FieldValues): string {
  const shown = fields.flatMap((field) => {
    const value = values[field.name];
    return value === undefined ? [] : [`${field.label}: ${inWords(field, value)}`];
  });
  return shown.length > 0 ? shown.join(' · ') : 'nothing entered';
}

function inWords({ options }: QuestionField, value: FieldValue): string {
  const label = (id: string) => options?.find((each) => each.id === id)?.label ?? id;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.map(label).join(', ');
  return typeof value === 'string' ? label(value) : String(value);
}
