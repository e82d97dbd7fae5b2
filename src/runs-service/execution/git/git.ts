import { ExplainedError } from '../../../lib/explained-error.ts';
import { runInGroup } from '../processes/process-group.ts';

export type GitOptions = {
  cwd: string;
  signal: AbortSignal;
  path: string;
  timeoutMs?: number;
  /** Takes what git prints as it comes; nothing is given back then. */
  onOutput?: (chunk: Buffer) => void;
  variables?: Record<string, string>;
};

/** Git said no; the message is git's own last words, without credentials. */
export class GitError extends ExplainedError {
  override name = 'GitError';
}

const gitTimeoutMs = 10 * 60_000;

/**
 * Settings that keep this machine's and a repository's surprises away: no hooks, templates, prompts, background work
 * or commands as transport, and folders of other owners are read.
 */
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
 * Runs git and gives back what it printed.
 * @throws GitError when git fails, cannot be started or takes too long
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<string> {
  const printed: Buffer[] = [];
  const said: Buffer[] = [];
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
      else if (said.length < 200) said.push(chunk);
    },
    timeoutMs: options.timeoutMs ?? gitTimeoutMs,
    graceMs: 2_000,
    signal: options.signal,
  });
  if (end.how === 'exited' && end.code === 0) return Buffer.concat(printed).toString('utf8');
  if (end.how === 'not-started') {
    throw new GitError(`git could not be started (${end.reason}). Install git, then try again.`);
  }
  if (end.how === 'timed-out') throw new GitError(`git ${args[0]} took too long and was ended`);
  throw new GitError(lastWords(Buffer.concat(said).toString('utf8')) || `git ${args[0]} failed`);
}

/** Git's complaint without its progress lines, and without names and passwords in addresses. */
function lastWords(text: string): string {
  const lines = withoutCredentials(text)
    .split(/[\r\n]+/)
    .map((line) => line.trim());
  const complaint = lines.filter((line) => /^(fatal|error|remote):/.test(line));
  return (complaint.length > 0 ? complaint : lines.filter(Boolean)).slice(-4).join('\n');
}

/** Looks for no scheme before the `://`: in a long word every letter may begin one, and each would be read to the end. */
export function withoutCredentials(text: string): string {
  return text.replace(/:\/\/[^\s/'"]*@/g, '://');
}
