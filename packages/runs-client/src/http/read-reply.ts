import type { z } from 'zod';
import { RunsApiError } from '../runs-api-error.ts';
import type { HttpReply } from './exchange.ts';

/**
 * Max number of nested levels, because more could overflow the stack of recursive readers. Real responses have about
 * ten.
 */
const deepestNesting = 200;

/** Parses the JSON of a response. Throws a `bad_response` that describes an unexpected body. */
export function readJson(reply: HttpReply<Buffer>): unknown {
  const text = reply.body.toString('utf8');
  if (text.trim() === '') throw badResponse(reply, 'with an empty body');
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    throw badResponse(reply, `with ${describeBody(reply, text)} instead of JSON`);
  }
  if (isNesting(value, deepestNesting))
    throw badResponse(reply, 'with JSON that is nested too deeply');
  return value;
}

/**
 * Function that loads a schema when the first response arrives, because zod takes longer to load than the rest of the
 * client.
 */
export type LoadSchema<Schema> = () => Promise<Schema>;

export async function readData<Schema extends z.ZodType>(
  reply: HttpReply<Buffer>,
  load: LoadSchema<Schema>,
): Promise<z.infer<Schema>> {
  const value = readJson(reply);
  const schema = await load();
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') || 'the whole body';
  const said = readSaidError(value);
  const why = said ? ` (it says: ${said})` : '';
  throw badResponse(reply, `but ${path} doesn't match the contract: ${issue?.message}${why}`);
}

/**
 * Checks the response to an accepted call, which is empty, a run ID or an object. Throws for a proxy's page, or an
 * error with status 200.
 */
export function readAcknowledgement(reply: HttpReply<Buffer>): void {
  const text = reply.body.toString('utf8');
  if (/^\s*</.test(text)) throw badResponse(reply, 'with HTML instead of an acknowledgement');
  if (!/^\s*\{/.test(text)) return;
  const said = readSaidError(readJson(reply));
  if (said) throw badResponse(reply, `with an error in it: ${said}`);
}

function badResponse(reply: { status: number }, what: string): RunsApiError {
  const message = `the runs API answered ${reply.status} ${what}; check that the base URL ends in /api/v1 and that no proxy answers instead`;
  return new RunsApiError({ code: 'bad_response', status: reply.status, message });
}

/** Returns the error that some services put into a response with status 200. */
function readSaidError(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('error' in value)) return undefined;
  return typeof value.error === 'string' ? value.error.slice(0, 200) : undefined;
}

function describeBody(reply: HttpReply<Buffer>, text: string): string {
  if (/^\s*</.test(text)) return 'HTML';
  const length = Number(reply.headers['content-length'] ?? reply.body.length);
  return /^\s*[[{"]/.test(text) ? `broken or truncated JSON (${length} bytes)` : 'text';
}

/**
 * Returns true if the value nests deeper than `levels`. Builds no list of members, because this runs for every
 * response.
 */
function nestsDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((each) => isNesting(each, levels));
  const members = value as Record<string, unknown>;
  for (const key in members) if (isNesting(members[key], levels)) return true;
  return false;
}

function isNesting(value: unknown, levels: number): boolean {
  return typeof value === 'object' && value !== null && nestsDeeper(value, levels - 1);
}
