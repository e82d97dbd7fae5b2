import { isAbsolute } from 'node:path';
import type { GitSettings } from './git.ts';

/** How git reaches a repository. Keys are in git's settings, never in the URL, which is in logs and process lists. */
export type RemoteAccess = { url: string; settings: GitSettings };

/**
 * Arguments for `clone`, `fetch` and `ls-remote`. The operator named the folder, so it may belong to another user. The program
 * that git starts there ignores the settings of its caller.
 */
export const readerOf = (repositoryUrl: string): string[] =>
  isAbsolute(repositoryUrl) || repositoryUrl.startsWith('file://')
    ? ["--upload-pack=git -c 'safe.directory=*' upload-pack"]
    : [];

export type Login = { user: string; token: string };

/** @param login in place of what the URL or the service's SSH key allows */
export function accessTo(repositoryUrl: string, login?: Login): RemoteAccess {
  if (!/^https?:\/\//.test(repositoryUrl)) return { url: repositoryUrl, settings: [] };
  const url = new URL(repositoryUrl);
  const inUrl =
    url.username === '' && url.password === ''
      ? undefined
      : { user: decodeURIComponent(url.username), token: decodeURIComponent(url.password) };
  const used = login ?? inUrl;
  url.username = '';
  url.password = '';
  if (!used) return { url: url.href, settings: [] };
  const basic = Buffer.from(`${used.user}:${used.token}`).toString('base64');
  const header = [`http.${url.origin}/.extraHeader`, `Authorization: Basic ${basic}`] as const;
  // A redirect could lead the key elsewhere.
  return { url: url.href, settings: [header, ['http.followRedirects', 'false']] };
}
