import { isAbsolute } from 'node:path';
import type { GitSettings } from './git.ts';

/**
 * Address and settings with which git reaches a repository. Keys are in the settings, never in the URL, which is in
 * logs and process lists.
 */
export type RemoteAccess = { url: string; settings: GitSettings };

/**
 * Returns arguments for `clone`, `fetch` and `ls-remote`. A folder can belong to another user, because the operator
 * named it. The program that git starts there ignores the settings of its caller.
 */
export const readerOf = (repositoryUrl: string): string[] =>
  isAbsolute(repositoryUrl) || repositoryUrl.startsWith('file://')
    ? ["--upload-pack=git -c 'safe.directory=*' upload-pack"]
    : [];

export type Login = { user: string; token: string };

/** @param login replaces the login in the URL */
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
  // A redirect could send the key to another server.
  return { url: url.href, settings: [header, ['http.followRedirects', 'false']] };
}
