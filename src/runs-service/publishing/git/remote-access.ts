import { readFile } from 'node:fs/promises';
import { PublishProblem } from '../publish-problem.ts';

/**
 * Read for every use, because tokens are renewed.
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
