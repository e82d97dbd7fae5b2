import { readFile } from 'node:fs/promises';
import type { Login } from '../../execution/git/git.ts';
import type { PublishPlan } from '../publish-plan.ts';
import { PublishProblem } from '../publish-problem.ts';

/**
 * Reads the login for git from the environment's token file. Returns undefined if the environment has no token file.
 */
export async function readLogin(
  { token_file: file, user }: PublishPlan['config'],
  usualUser: string,
): Promise<Login | undefined> {
  if (file === undefined) return undefined;
  return { user: user ?? usualUser, token: await readSecretFile(file, 'token_file') };
}

/**
 * Reads a secret from its file. It's called for every use, because operators replace tokens.
 * @throws PublishProblem that names the setting
 */
export async function readSecretFile(file: string, setting: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new PublishProblem(
      `Can't read the file of "${setting}" under "publish". Check its path and that the service may read it.`,
      { cause: error },
    );
  }
}
