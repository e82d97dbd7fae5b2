import { ExplainedError } from '../../../lib/explained-error.ts';
import { runInGroup } from '../processes/process-group.ts';

export type GitOptions = {
  cwd: string;
  signal: AbortSignal;
  path: string;
  /** Gets the output as it comes; `runGit` then returns an empty string. */
  onOutput?: (chunk: Buffer) => void;
  variables?: Record<string, string>;
};

/** The message is git's own, without credentials. */
export class GitError extends ExplainedError {
  override name = 'GitError';
}

const gitTimeoutMs = 10 * 60_000;

/** No hooks, templates, background work or commands as transport; folders of other owners can be read. */
const settings = [
  'core.hooksPath=/dev/null',
  'init.templateDir=',
  'init.defaultBranch=main',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
  'protocol.ext.allow=never',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'advice.detachedHead=false',
].flatMap((setting) => ['-c', setting]);

/**
 * Runs git and returns its output.
 * @throws GitError when git fails, can't be started or takes too long
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<string> {
  const printed: Buffer[] = [];
  const errors: Buffer[] = [];
  const print = options.onOutput ?? ((chunk: Buffer) => printed.push(chunk));
  const end = await runInGroup({
    command: ['git', ...settings, ...args],
    cwd: options.cwd,
    variables: {
      PATH: options.path,
      HOME: options.cwd,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
      ...options.variables,
    },
    onOutput: (chunk, stream) => {
      if (stream === 'stdout') print(chunk);
      else if (errors.length < 200) errors.push(chunk);
    },
    timeoutMs: gitTimeoutMs,
    graceMs: 2_000,
    signal: options.signal,
  });
  if (end.how === 'exited' && end.code === 0) return Buffer.concat(printed).toString('utf8');
  if (end.how === 'not-started') {
    throw new GitError(`Can't start git (${end.reason}). Install git, then try again.`);
  }
  if (end.how === 'timed-out') throw new GitError(`git ${args[0]} took too long and was stopped`);
  const message = errorIn(Buffer.concat(errors).toString('utf8'));
  throw new GitError(message || `git ${args[0]} failed`);
}

/** Git's error lines without progress, and without user names and passwords in URLs. */
function errorIn(text: string): string {
  const lines = withoutCredentials(text)
    .split(/[\r\n]+/)
    .map((line) => line.trim());
  const found = lines.filter((line) => /^(fatal|error|remote):/.test(line));
  return (found.length > 0 ? found : lines.filter(Boolean)).slice(-4).join('\n');
}

/** Doesn't match the scheme before `://`: in a long word each letter could start one, which takes quadratic time. */
export function withoutCredentials(text: string): string {
  return text.replace(/:\/\/[^\s/'"]*@/g, '://');
}
