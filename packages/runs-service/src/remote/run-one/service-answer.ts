import { parseJson } from 'base/parse-json';
import { z } from 'zod';

/** The service says that the run is over, or belongs to another process. */
export class RunOver extends Error {
  override name = 'RunOver';
}

/** The service will never accept this request. */
export class Refused extends Error {
  override name = 'Refused';
}

/** The answer can't be used: the service is of another version. */
export class Unreadable extends Refused {
  override name = 'Unreadable';

  constructor(where: string) {
    super(
      `The runs service and the process of this run don't understand each other (${where}). Use the same version of slash-agent for both, then run this again.`,
    );
  }
}

/** The service that answers doesn't have it. */
export class NotThere extends Refused {
  override name = 'NotThere';
}

const ours = 'urn:slash-agent:problem:';
const problemSchema = z.object({ type: z.string().startsWith(ours), detail: z.string() });

/**
 * @throws Unreadable if the service is of another version
 * @throws Error if something in between answered
 */
export async function readAnswer<Schema extends z.ZodType>(
  response: Response,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const body = parseJson(await response.text());
  if (body === undefined) throw new Error('The answer is no JSON.');
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new Unreadable(read.error.issues[0]?.path.join('.') || 'the answer');
}

/** Why the service refused a request. */
export async function problemIn(response: Response): Promise<Error> {
  const found = problemSchema.safeParse(parseJson(await response.text()));
  // Something in between can answer too, for example while the service restarts.
  if (!found.success) return new Error(`The service answered with ${response.status}.`);
  const problem = found.data.type.slice(ours.length);
  if (isOver.has(problem)) return new RunOver(problem);
  if (problem === 'resource_not_found') return new NotThere(found.data.detail);
  const isFinal = ![409, 429].includes(response.status) && response.status < 500;
  return isFinal ? new Refused(found.data.detail) : new Error(found.data.detail);
}

const isOver = new Set(['already_ended', 'authentication_required', 'not_authorized']);
