import { z } from 'zod';
import { isObject, type JsonObject, parseJson } from '../lib/json.ts';
import type { Installation } from '../world/world.ts';
import { ApiError, invalidArguments } from './api-error.ts';

/** Rate tiers of the Web API. `post` is the special tier of chat.postMessage: one per second and channel. */
export type Tier = 1 | 2 | 3 | 4 | 5 | 'post';

/** Installation and token of a Web API call. The token may belong to a workflow step. */
export type Call = { installation: Installation; token?: string | undefined };

export type Method = {
  name: string;
  tier: Tier;
  /** Type of token that the method requires. */
  token: 'bot' | 'app' | 'none';
  /** Scopes that allow the call. One of them must be granted. If the list is empty, no scope is required. */
  scopes: readonly string[];
  /** Documented errors of the method, besides those in `commonErrors`. */
  errors: readonly string[];
  argumentNames: readonly string[];
  run(args: JsonObject, call: Call): Promise<JsonObject>;
};

type Spec<Shape extends z.ZodRawShape> = {
  name: string;
  tier: Tier;
  token?: 'bot' | 'app' | 'none';
  scopes?: readonly string[];
  errors?: readonly string[];
  args: Shape;
  /** Documented errors for missing or malformed arguments, by argument. Other arguments cause `invalid_arguments`. */
  wrong?: Readonly<Record<string, string>>;
  run(args: z.output<z.ZodObject<Shape>>, call: Call): JsonObject | Promise<JsonObject>;
};

/**
 * Defines a Web API method by data, such as the types of its arguments. Slack ignores unknown arguments; the stand-in
 * rejects them to find typos.
 */
export function defineMethod<Shape extends z.ZodRawShape>(spec: Spec<Shape>): Method {
  const schema = z.strictObject(spec.args);
  return {
    name: spec.name,
    tier: spec.tier,
    token: spec.token ?? 'bot',
    scopes: spec.scopes ?? [],
    errors: [...(spec.errors ?? []), ...Object.values(spec.wrong ?? {})],
    argumentNames: Object.keys(spec.args),
    async run(args, call) {
      const parsed = schema.safeParse(args);
      if (!parsed.success) throw readProblem(parsed.error, args, spec.wrong ?? {});
      return await spec.run(parsed.data as z.output<z.ZodObject<Shape>>, call);
    },
  };
}

function readProblem(
  error: z.ZodError,
  args: JsonObject,
  wrong: Readonly<Record<string, string>>,
): ApiError {
  for (const { path } of error.issues) {
    const code = wrong[String(path[0])];
    if (code) return new ApiError(code);
  }
  const messages = error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return `[ERROR] unknown argument: ${issue.keys.join(', ')} (Slack would ignore it)`;
    }
    const name = String(issue.path[0]);
    if (!(name in args)) return `[ERROR] missing required field: ${name}`;
    return `[ERROR] ${issue.message} [json-pointer:/${issue.path.join('/')}]`;
  });
  return invalidArguments(messages);
}

/** Types of arguments. Forms only have text, so numbers, flags and JSON can also be text. */
export const argument = {
  text: z.string(),
  id: z.string().min(1),
  flag: z.union([z.boolean(), z.stringbool()]),
  count: z.coerce.number().int(),
  objects: fromJson(z.array(z.record(z.string(), z.unknown()))),
  object: fromJson(z.record(z.string(), z.unknown())),
  /** Argument with a list of IDs, comma-separated or in JSON. */
  list: z.union([z.array(z.string()), z.string()]).transform((value) => {
    if (Array.isArray(value)) return value;
    const parsed = parseJson(value);
    return Array.isArray(parsed) ? parsed.map(String) : value.split(',').filter(Boolean);
  }),
};

function fromJson<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (typeof value === 'string' ? parseJson(value) : value), schema);
}

/** Removes `null`, which JSON bodies may contain for absent arguments. */
export function withoutNulls(args: unknown): JsonObject {
  if (!isObject(args)) return {};
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
