import { isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import { ExplainedError } from 'base/explained-error';
import type { Sandbox } from '../../sandbox/sandbox.ts';

export type GitSettings = readonly (readonly [key: string, value: string])[];

export type GitOptions = {
  /** Runs the command: a sandbox's `run`, or `runOnHost` for files that no agent wrote. */
  run: Sandbox['run'];
  cwd: string;
  signal: AbortSignal;
  path: string;
  /** Receives output as it arrives. `runGit` then returns an empty string. */
  onOutput?: (chunk: Buffer) => void;
  variables?: Record<string, string>;
  /** Git settings in addition to `usualSettings`. */
  settings?: GitSettings;
  input?: Readable;
};

/** A failure of git, with git's own message but without credentials. */
export class GitError extends ExplainedError {
  override name = 'GitError';
}

/** Hint for an error after a redirect. Git follows no redirects when it uses a key. */
const movedHint =
  'The repository moved. Change its URL in the environment to the new address, which may end in .git.';

const gitTimeoutMs = 10 * 60_000;

/**
 * Settings of every git call. They turn off hooks, templates, background work and commands as transport, and allow
 * folders of other owners.
 */
const usualSettings = [
  ['core.hooksPath', '/dev/null'],
  ['init.templateDir', ''],
  ['init.defaultBranch', 'main'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['safe.directory', '*'],
  ['protocol.ext.allow', 'never'],
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['advice.detachedHead', 'false'],
] as const;

/**
 * Returns git's settings as environment variables, which apply to every git call of a script. Other users can't see
 * keys in variables, but could see them in arguments.
 */
function gitVariables(more: GitSettings = []): Record<string, string> {
  const settings = [...usualSettings, ...more];
  return {
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/**
 * Runs git and returns its output.
 * @throws GitError if git fails, can't be started or takes too long
 */
export const runGit = (args: readonly string[], options: GitOptions): Promise<string> =>
  runGitCommand(['git', ...args], options);

/** Runs a program that calls git, like {@link runGit}. */
export async function runGitCommand(
  argv: readonly string[],
  { run, cwd, signal, path, onOutput, variables, settings, input }: GitOptions,
): Promise<string> {
  const printed: Buffer[] = [];
  const errors: Buffer[] = [];
  const print = onOutput ?? ((chunk: Buffer) => printed.push(chunk));
  const end = await run({
    argv,
    cwd,
    variables: { PATH: path, HOME: cwd, ...gitVariables(settings), ...variables },
    ...(input && { input }),
    onOutput: (chunk, stream) => {
      if (stream === 'stdout') print(chunk);
      else if (errors.length < 200) errors.push(chunk);
    },
    timeoutMs: gitTimeoutMs,
    graceMs: 2_000,
    signal,
  });
  if (end.how === 'exited' && end.code === 0) return Buffer.concat(printed).toString('utf8');
  if (end.how === 'not-started') {
    throw new GitError(`Can't start git (${end.reason}). Install git, then try again.`);
  }
  if (end.how === 'timed-out') throw new GitError(`git ${argv[1]} took too long and was stopped`);
  const message = errorIn(Buffer.concat(errors).toString('utf8'));
  const hint = /error: 30[1278]$/.test(message) ? `\n${movedHint}` : '';
  throw new GitError(message ? message + hint : `git ${argv[1]} failed`);
}

/** Returns git's error lines without progress, and without user names and passwords in URLs. */
function errorIn(text: string): string {
  const lines = withoutCredentials(text)
    .split(/[\r\n]+/)
    .map((line) => line.trim());
  const found = lines.filter((line) => /^(fatal|error|remote):\s*\S/.test(line));
  const [first, ...others] = found.length > 0 ? found : lines.filter(Boolean);
  // Keep the first line and the last three, because servers give the reason first and then advice.
  return first === undefined ? '' : [first, ...others.slice(-3)].join('\n');
}

/**
 * Removes user names and passwords from URLs. The pattern starts at `://`. A pattern that starts at the scheme would
 * take quadratic time on long words.
 */
export function withoutCredentials(text: string): string {
  return text.replace(/:\/\/[^\s/'"]*@/g, '://');
}

/**
 * Address and settings with which git reaches a repository. Keys are in the settings, never in the URL, which is in
 * logs and process lists.
 */
export type RemoteAccess = { url: string; settings: GitSettings };

/**
 * Returns arguments for `clone`, `fetch` and `ls-remote` of a local folder, which can belong to another user. They
 * repeat `safe.directory`, because git's upload program ignores the caller's settings.
 */
export const readerOf = (repositoryUrl: string): string[] =>
  isAbsolute(repositoryUrl) || repositoryUrl.startsWith('file://')
    ? ["--upload-pack=git -c 'safe.directory=*' upload-pack"]
    : [];

export type Login = { user: string; token: string };

/**
 * Returns the URL and the git settings for a repository.
 * @param login replaces the login in the URL
 */
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
  // Follow no redirects, because a redirect could send the key to another server.
  return { url: url.href, settings: [header, ['http.followRedirects', 'false']] };
}
