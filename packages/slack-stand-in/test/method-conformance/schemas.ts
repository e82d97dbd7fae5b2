import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { readSharedJson } from '../support/shared-data.ts';

type Schema = { properties?: Record<string, unknown>; required?: string[] };

export type Documented = {
  scope?: { bot?: string[] };
  rate_limits?: string;
  args?: Schema | null;
  output?: Schema | null;
  errors?: Record<string, unknown> | null;
};

// Strict mode is off, because the schemas use custom keywords ("schema", "subtype", "desc").
const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);

export function readMethod(name: string): Documented {
  return readSharedJson(`slack/methods/${name}.json`) as Documented;
}

/**
 * Compiles the schema of a method's arguments. Allows `team_id`, which Bolt adds to every call. The token isn't
 * required, because it's in the header.
 */
export function compileArguments(
  { args }: Documented,
  others: readonly string[],
): ValidateFunction {
  const more = Object.fromEntries(['team_id', ...others].map((name) => [name, {}]));
  const properties = { ...more, ...args?.properties };
  const required = (args?.required ?? []).filter((name) => name !== 'token');
  return ajv.compile({ ...args, required, properties, additionalProperties: false });
}

/**
 * Compiles the schema of a response. Ajv can't check references to Slack's types, so "exactly one of two" becomes "any
 * of two".
 */
export function compileAnswer({ output }: Documented): ValidateFunction {
  const text = JSON.stringify(output ?? {}).replaceAll('"oneOf"', '"anyOf"');
  return ajv.compile(JSON.parse(text));
}

/** Parses arguments that the schema doesn't declare as text, because forms contain only text. */
export function asTheSchemaWants({ args }: Documented, given: Record<string, unknown>) {
  const isText = (name: string) =>
    /^\{(?!.*"type":"array").*"string"/.test(JSON.stringify(args?.properties?.[name] ?? ''));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' && !isText(name) ? parse(value) : value,
    ]),
  );
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
