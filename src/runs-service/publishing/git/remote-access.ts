import { readFile } from 'node:fs/promises';
import { PublishProblem } from '../publish-problem.ts';

/** How git reaches a repository. Keys are in git's settings, never in the URL, which is in logs and process lists. */
export type RemoteAccess = { url: string; settings: readonly (readonly [string, string])[] };

export type Login = { user: string; token: string };

/** @param login undefined to use what the URL or the service's SSH key allows */
export function accessTo(repositoryUrl: string, login: Login | undefined): RemoteAccess {
  if (!/^https?:\/\//.test(repositoryUrl)) return { url: repositoryUrl, settings: [] };
  const url = new URL(repositoryUrl);
  const inUrl =
    url.username === '' && url.password === ''
      ? undefined
      : { user: decodeURIComponent(url.username), token: decodeURIComponent(url.password) };
  const used = login ?? inUrl;
  url.username = '';
  url.password = '';
  const settings = [
    // A redirect could lead the key elsewhere.
    ['http.followRedirects', 'false'],
    ['credential.helper', ''],
  ] as const;
  if (!used) return { url: url.href, settings };
  const basic = Buffer.from(`${used.user}:${used.token}`).toString('base64');
  const header = [`http.${url.origin}/.extraHeader`, `Authorization: Basic ${basic}`] as const;
  return { url: url.href, settings: [...settings, header] };
}

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
