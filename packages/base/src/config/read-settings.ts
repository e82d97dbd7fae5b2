import type { z } from 'zod';
import { ExplainedError } from '../explained-error.ts';
import { withSecretFiles } from '../secrets/secret-files.ts';
import type { Environment } from './environment.ts';

/**
 * Reads the settings of a program from environment variables.
 * @param variables names, each with a text that says where to get a value; printed if a variable is missing or wrong
 * @param secrets names of variables that can also come from a file, which `<name>_FILE` names
 */
export function createSettings<Name extends string>(
  variables: Readonly<Record<Name, string>>,
  secrets: readonly NoInfer<Name>[],
) {
  const missing = (name: Name) => `  ${name} is missing. ${variables[name]}`;

  /**
   * Returns the environment variables, with secrets read from the files that `<name>_FILE` names. Leaves out blank
   * values.
   */
  function valuesOf(environment: Environment): Environment {
    const filled = Object.entries(environment).filter(([, value]) => value?.trim());
    return withSecretFiles(Object.fromEntries(filled), secrets);
  }

  function check<Schema extends z.ZodObject>(
    schema: Schema,
    values: Environment,
  ): { data: z.infer<Schema> | undefined; problems: string[] } {
    const result = schema.safeParse(values);
    if (result.success) return { data: result.data, problems: [] };
    const problems = result.error.issues.map((issue) => {
      const name = String(issue.path[0]) as Name;
      return values[name] === undefined
        ? missing(name)
        : `  ${name} ${issue.message}. ${variables[name]}`;
    });
    return { data: undefined, problems: [...new Set(problems)] };
  }

  return {
    missing,
    valuesOf,
    check,

    /** @throws ExplainedError that lists all missing and wrong variables and where to get them */
    read<Schema extends z.ZodObject>(schema: Schema, environment: Environment): z.infer<Schema> {
      const { data, problems } = check(schema, valuesOf(environment));
      if (!data) throw new ExplainedError(explain(problems));
      return data;
    },
  };
}

export function explain(problems: string[]): string {
  return [
    'Some settings are missing or wrong:',
    ...problems,
    'Set them in the environment or in a file named .env (see .env.example).',
    'To try slash-agent without any settings, run: npm run demo',
  ].join('\n');
}
