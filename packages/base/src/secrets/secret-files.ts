import { readFileSync } from 'node:fs';
import { ExplainedError } from '../explained-error.ts';

/**
 * Adds the content of files that `<name>_FILE` names, so that the environment of the process holds no secrets.
 * Containers mount secrets as such files.
 * @throws ExplainedError that names the variable
 */
export function withSecretFiles(
  values: Record<string, string | undefined>,
  names: readonly string[],
): Record<string, string | undefined> {
  const read = names.flatMap((name) => {
    const path = values[`${name}_FILE`];
    if (path === undefined) return [];
    if (values[name] !== undefined)
      throw new ExplainedError(`${name} and ${name}_FILE can't both be set. Remove one.`);
    return [[name, readSecret(`${name}_FILE`, path)] as const];
  });
  return { ...values, ...Object.fromEntries(read) };
}

function readSecret(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ExplainedError(
      `${variable}: can't read ${path} (${code}). Check the path and that this user may read the file.`,
    );
  }
}
