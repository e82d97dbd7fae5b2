import type { z } from 'zod';
import { secrets, type Variable, variables } from '../../../../src/config/variables.ts';
import { ExplainedError } from '../explained-error.ts';
import { withSecretFiles } from '../secrets/secret-files.ts';
import type { Environment } from './environment.ts';

export function check<T extends z.ZodObject>(
  schema: T,
  values: Environment,
): { data: z.infer<T> | undefined; problems: string[] } {
  const result = schema.safeParse(values);
  if (result.success) return { data: result.data, problems: [] };
  const problems = result.error.issues.map((issue) => {
    const name = String(issue.path[0]) as Variable;
    return values[name] === undefined
      ? missing(name)
      : `  ${name} ${issue.message}. ${variables[name]}`;
  });
  return { data: undefined, problems: [...new Set(problems)] };
}

export const missing = (name: Variable) => `  ${name} is missing. ${variables[name]}`;

export function explain(problems: string[]): string {
  return [
    'Some settings are missing or wrong:',
    ...problems,
    'Set them in the environment or in a file named .env (see .env.example).',
    'To try slash-agent without any settings, run: npm run demo',
  ].join('\n');
}

/** Blank values count as missing. */
export function settingsOf(environment: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value?.trim());
  return withSecretFiles(Object.fromEntries(given), secrets);
}

/** @throws ExplainedError that lists all missing and wrong variables and where to get them */
export function readSettings<T extends z.ZodObject>(
  schema: T,
  environment: Environment,
): z.infer<T> {
  const { data, problems } = check(schema, settingsOf(environment));
  if (!data) throw new ExplainedError(explain(problems));
  return data;
}
