import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationSchema,
} from '@agentclientprotocol/sdk';
import { type QuestionField, readFieldValue } from 'runs-client/question-fields';
import { z } from 'zod';
import type { AgentContext, AgentQuestion } from '../harness.ts';

type ElicitDeps = Pick<AgentContext, 'ask'>;

const maxFields = 10;
/** Max options of a field, because a menu in Slack holds no more. */
const maxOptions = 100;
/** Max attempts of a person to type a valid value. */
const maxTries = 3;

/**
 * Asks a person to fill in an agent's form. Several fields are shown as a form. A single field is asked as a plain
 * question, which people can answer everywhere. Declines a form if people can't fill in one of its required fields.
 */
export async function elicit(
  { ask }: ElicitDeps,
  request: CreateElicitationRequest,
): Promise<CreateElicitationResponse> {
  const [first, ...others] = fieldsOf(request);
  if (!first) return { action: 'decline' };
  if (others.length === 0 && first.kind !== 'choices') return askOne(ask, request.message, first);
  const fields = [first, ...others];
  const answer = await ask({ text: request.message, options: [], acceptsText: false, fields });
  if (!answer || !('values' in answer)) return { action: 'cancel' };
  return { action: 'accept', content: { ...answer.values } };
}

/** Returns the form's fields. Returns none if people can't fill in the form. */
function fieldsOf(request: CreateElicitationRequest): QuestionField[] {
  const schema = 'requestedSchema' in request ? request.requestedSchema : undefined;
  const { properties, required } = (schema ?? {}) as ElicitationSchema;
  const all = Object.entries(properties ?? {}).map(([name, given]) => {
    const isRequired = required?.includes(name) ?? false;
    return { isRequired, field: toField(name, given, isRequired) };
  });
  const fields = all.flatMap(({ field }) => field ?? []);
  const isWhole = all.every(({ field, isRequired }) => field || !isRequired);
  return isWhole && fields.length <= maxFields ? fields : [];
}

const titledChoices = z.array(z.object({ const: z.string(), title: z.string() }));
const names = z.array(z.string());
const nothing = z.null().transform(() => undefined);
const nullable = <Schema extends z.ZodType>(schema: Schema) => schema.or(nothing).optional();
const about = {
  title: nullable(z.string()),
  description: nullable(z.string()),
};
const propertySchema = z.discriminatedUnion('type', [
  z.object({
    ...{
      type: z.literal('string'),
      ...about,
      enum: nullable(names),
      oneOf: nullable(titledChoices),
    },
    ...{
      minLength: nullable(z.number()),
      maxLength: nullable(z.number()),
      format: nullable(z.string()),
    },
  }),
  z.object({
    ...{ type: z.enum(['number', 'integer']), ...about },
    ...{ minimum: nullable(z.number()), maximum: nullable(z.number()) },
  }),
  z.object({ type: z.literal('boolean'), ...about }),
  z.object({
    ...{ type: z.literal('array'), ...about },
    items: z.object({ enum: names.optional(), anyOf: titledChoices.optional() }),
    ...{ minItems: nullable(z.number()), maxItems: nullable(z.number()) },
  }),
]);
type Property = z.infer<typeof propertySchema>;

/** Converts a property of the form to a field. Returns undefined for a type that people can't enter. */
function toField(name: string, given: unknown, isRequired: boolean): QuestionField | undefined {
  const { success, data } = propertySchema.safeParse(given);
  const kind = success ? kindOf(data) : undefined;
  if (!success || !kind) return undefined;
  const format = data.type === 'string' && data.format ? `Format: ${data.format}` : undefined;
  const description = [data.description, format].filter(Boolean).join('\n');
  return {
    ...{ name, label: data.title || name, is_required: isRequired, ...kind },
    ...(description && { description }),
  };
}

type FieldKind = Pick<QuestionField, 'kind' | 'options' | 'minimum' | 'maximum'>;

function kindOf(property: Property): FieldKind | undefined {
  switch (property.type) {
    case 'boolean':
      return { kind: 'boolean' };
    case 'number':
    case 'integer':
      return { kind: property.type, ...limits(property.minimum, property.maximum) };
    case 'array': {
      const options = optionsOf(property.items.enum, property.items.anyOf);
      const { minItems, maxItems } = property;
      return options && { kind: 'choices', options, ...limits(minItems, maxItems) };
    }
    case 'string': {
      if (!property.enum && !property.oneOf)
        return { kind: 'text', ...limits(property.minLength, property.maxLength) };
      const options = optionsOf(property.enum, property.oneOf);
      return options && { kind: 'choice', options };
    }
  }
}

const limits = (minimum: number | undefined, maximum: number | undefined) => ({
  ...(minimum !== undefined && { minimum }),
  ...(maximum !== undefined && { maximum }),
});

/** Returns a field's options, or undefined if there are none or too many for a menu. */
function optionsOf(ids: string[] | undefined, choices: z.infer<typeof titledChoices> | undefined) {
  const options =
    choices?.map((each) => ({ id: each.const, label: each.title })) ??
    ids?.map((id) => ({ id, label: id })) ??
    [];
  return options.length > 0 && options.length <= maxOptions ? options : undefined;
}

async function askOne(
  ask: ElicitDeps['ask'],
  message: string,
  field: QuestionField,
): Promise<CreateElicitationResponse> {
  const required = { ...field, is_required: true };
  const text = [message, field.description].filter(Boolean).join('\n');
  let hint = '';
  for (let tries = 0; tries < maxTries; tries += 1) {
    const answer = await ask({ text: text + hint, ...questionFor(field) });
    if (!answer || 'values' in answer) break;
    const read = readFieldValue(required, 'optionId' in answer ? answer.optionId : answer.text);
    if ('value' in read && read.value !== undefined)
      return { action: 'accept', content: { [field.name]: read.value } };
    if ('problem' in read) hint = `\n${read.problem}`;
  }
  return { action: 'cancel' };
}

function questionFor({ kind, options }: QuestionField): Omit<AgentQuestion, 'text'> {
  const choice = (id: string, label: string) => ({ id, label, kind: 'choice' });
  if (kind === 'boolean')
    return { options: [choice('true', 'Yes'), choice('false', 'No')], acceptsText: false };
  const offered = (options ?? []).map(({ id, label }) => choice(id, label));
  return { options: offered, acceptsText: kind !== 'choice' };
}
