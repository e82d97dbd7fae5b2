import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationContentValue,
  ElicitationPropertySchema,
  ElicitationSchema,
} from '@agentclientprotocol/sdk';
import type { AgentContext, AgentQuestion } from '../harness.ts';

type Field = { name: string; schema: ElicitationPropertySchema; isRequired: boolean };
type Ask = Pick<AgentContext, 'ask'>;

const maxFields = 10;
/** How often a person can mistype a number. */
const maxTries = 3;
const skip = { id: 'slash-agent:skip', label: 'Skip', kind: 'choice' };

/**
 * Asks a person what an agent wants to know: each field of its form is a question, one after another, so that it can be
 * answered wherever questions can. A form with a required field of another kind is declined.
 */
export async function elicit(
  { ask }: Ask,
  request: CreateElicitationRequest,
): Promise<CreateElicitationResponse> {
  const fields = fieldsOf(request);
  if (!fields) return { action: 'decline' };
  const content: [name: string, value: ElicitationContentValue][] = [];
  for (const [index, field] of fields.entries()) {
    const place = fields.length > 1 ? `${index + 1} of ${fields.length}` : undefined;
    const value = await fill({ ask }, request.message, field, place);
    if (value === undefined) return { action: 'cancel' };
    if (value !== skip) content.push([field.name, value as ElicitationContentValue]);
  }
  return { action: 'accept', content: Object.fromEntries(content) };
}

/** Undefined if people can't fill in the form. */
function fieldsOf(request: CreateElicitationRequest): Field[] | undefined {
  const schema = 'requestedSchema' in request ? request.requestedSchema : undefined;
  const { properties, required } = (schema ?? {}) as ElicitationSchema;
  const all = Object.entries(properties ?? {}).map(([name, each]) => ({
    ...{ name, schema: each, isRequired: required?.includes(name) ?? false },
  }));
  const known = all.filter(({ schema: { type } }) =>
    ['string', 'boolean', 'number', 'integer'].includes(type),
  );
  const isWhole = all.every((field) => known.includes(field) || !field.isRequired);
  return isWhole && known.length > 0 && known.length <= maxFields ? known : undefined;
}

/** Undefined without an answer. */
async function fill(
  { ask }: Ask,
  message: string,
  field: Field,
  place: string | undefined,
): Promise<ElicitationContentValue | typeof skip | undefined> {
  const { title, description } = field.schema as { title?: string; description?: string };
  const about = place ? `${title ?? field.name} (${place})` : '';
  const text = [message, about, description ?? ''].filter(Boolean).join('\n');
  const question = questionFor(field);
  if (place && !field.isRequired) question.options.push(skip);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const hint = tries === 0 ? '' : `\n${numberHint(field.schema)}`;
    const answer = await ask({ text: text + hint, ...question });
    if (!answer) return undefined;
    const given = 'optionId' in answer ? answer.optionId : answer.text;
    if (given === skip.id) return skip;
    const value = readValue(field.schema, given);
    if (value !== undefined) return value;
  }
  return undefined;
}

function questionFor({ schema }: Field): Pick<AgentQuestion, 'options' | 'takesText'> {
  const choice = (id: string, label = id) => ({ id, label, kind: 'choice' });
  if (schema.type === 'boolean')
    return { options: [choice('true', 'Yes'), choice('false', 'No')], takesText: false };
  const { oneOf, enum: names } = schema as {
    oneOf?: { const: string; title: string }[] | null;
    enum?: string[] | null;
  };
  const options =
    oneOf?.map((each) => choice(each.const, each.title)) ?? names?.map((id) => choice(id));
  return { options: options ?? [], takesText: options === undefined };
}

/** Undefined if it isn't a number where one is needed. */
function readValue(
  schema: ElicitationPropertySchema,
  given: string,
): ElicitationContentValue | undefined {
  if (schema.type === 'boolean') return given === 'true';
  if (schema.type === 'string') return given;
  const value = Number(given.trim() || Number.NaN);
  const { minimum, maximum } = limitsOf(schema);
  const isInside = value >= minimum && value <= maximum && Number.isFinite(value);
  return isInside && (schema.type === 'number' || Number.isInteger(value)) ? value : undefined;
}

function limitsOf(schema: ElicitationPropertySchema) {
  const { minimum, maximum } = schema as { minimum?: number | null; maximum?: number | null };
  return { minimum: minimum ?? -Infinity, maximum: maximum ?? Infinity };
}

function numberHint(schema: ElicitationPropertySchema): string {
  const { minimum, maximum } = limitsOf(schema);
  const least = minimum === -Infinity ? '' : `, at least ${minimum}`;
  const most = maximum === Infinity ? '' : `, at most ${maximum}`;
  return `Enter a ${schema.type === 'integer' ? 'whole number' : 'number'}${least}${most}.`;
}
