import { parseJson } from 'base/parse-json';
import { shorten } from 'base/shorten';
import type { RunStatusMessage } from 'runs-client/contract';
import { listSome } from '../environments/environments.ts';
import type { ChildEnd } from '../sandbox/process-group.ts';
import type { UnreachedAddress } from '../sandbox/sandbox.ts';
import type { RunUpdate } from '../store/run-changes.ts';
import { firstLines, lastLines } from './output/last-lines.ts';

export type RunEnd =
  | { state: 'SUCCEEDED'; status?: RunStatusMessage }
  | { state: 'FAILED'; status: RunStatusMessage }
  | { state: 'CANCELLED'; status?: RunStatusMessage };

export function isRunEnd(value: object): value is RunEnd {
  return 'state' in value && 'status' in value;
}

/** Reason why the service ends an active run. It's the `reason` of the run's abort signal. */
export type AbortReason = 'canceled' | 'stopping' | 'lost';

export type FailedRun = Extract<RunEnd, { state: 'FAILED' }>;

export function failed(message: string, more: Omit<RunStatusMessage, 'message'> = {}): FailedRun {
  return { state: 'FAILED', status: { ...more, message } };
}

/** Returns the end of a run that was stopped because of its spending. */
export const overBudget = (message: string): FailedRun =>
  failed(message, { error_code: 'budget_exceeded', retryable: false });

const maxAnswerCharacters = 4_000;

/** Adds the agent's answer to the end of a run, if the run succeeded. */
export function withAnswer(end: RunEnd, answer: string | undefined): RunEnd {
  if (end.state !== 'SUCCEEDED' || answer === undefined) return end;
  return { ...end, status: { message: shorten(answer, maxAnswerCharacters) } };
}

const maxUnreached = 3;
const maxAddress = 200;

/**
 * Adds addresses that the agent couldn't reach to the message of a failed run. Some agents wait for such addresses and
 * report no error.
 */
export function withUnreached(end: RunEnd, unreached: readonly UnreachedAddress[]): RunEnd {
  if (end.state !== 'FAILED' || unreached.length === 0) return end;
  const sentences = unreached
    .slice(0, maxUnreached)
    .map(({ address, why }) => `It couldn't reach ${shorten(address, maxAddress)}, which ${why}.`);
  return failed([end.status.message, ...sentences].join('\n'), end.status);
}

export const endUpdate = (end: RunEnd): RunUpdate => ({
  state: end.state,
  status_json: end.status ? JSON.stringify(end.status) : null,
  ended_at: Date.now(),
  lease: null,
});

export const environmentGone = (id: string, ids: readonly string[]): RunEnd =>
  failed(
    `Environment "${id}" no longer exists. Choose one of these: ${listSome(ids) || '(none yet)'}.`,
    { error_code: 'resource_not_found', retryable: false },
  );

const fullDisk = /\b(ENOSPC|EDQUOT)\b|no space left on device|disk quota exceeded/i;

export const isFullDisk = (message: string) => fullDisk.test(message);

/** Returns the end of a run that failed because of a problem in the runs service. */
export function serviceFailure(what: string, why: string): RunEnd {
  const more = { error_code: 'internal_error', retryable: true };
  if (!isFullDisk(why)) return failed(`${what}: ${why}`, more);
  return failed(
    `${what}: the disk of the runs service is full. Free up space in its data folder, then run this again.`,
    { ...more, error_code: 'resource_unavailable' },
  );
}

/** Returns the end of an interrupted run. The run isn't restarted automatically, because its progress is unknown. */
export const interrupted = (why: string): FailedRun =>
  failed(`${why}, so this run was cut off. You can run it again.`, {
    error_code: 'resource_unavailable',
    retryable: true,
  });

export function abortedEnd(reason: AbortReason): RunEnd {
  switch (reason) {
    case 'canceled':
      return { state: 'CANCELLED' };
    case 'stopping':
      return interrupted('The runs service was stopped');
    case 'lost':
      return interrupted('The runs service lost its lease on the run');
  }
}

type CommandTrace = {
  program: string;
  /** Reason of the failure, as a known harness reports it. */
  reason: string | undefined;
  stderr: string;
  stdout: string;
  timeoutMs: number;
};

const lineLimits = { lines: 3, characters: 600 };

/** Returns the reason from the harness. Without one, returns the last error output, or else the last output. */
function whyFailed({ reason, stderr, stdout }: CommandTrace): string {
  if (reason !== undefined) return firstLines(messageIn(reason), lineLimits);
  return lastMessages(stderr) || lastMessages(stdout);
}

/** Returns the last messages of an output, each only once. */
function lastMessages(output: string): string {
  const lines = output.split('\n').map((line) => messageIn(line));
  return lastLines([...new Set(lines)].join('\n'), lineLimits);
}

/** Returns the end of the run if the command failed. Returns undefined if the command succeeded or was aborted. */
export function commandFailure(
  what: string,
  end: ChildEnd,
  trace: CommandTrace,
): FailedRun | undefined {
  const why = whyFailed(trace);
  switch (end.how) {
    case 'exited':
      if (end.code === 0) return undefined;
      return failed(
        why === ''
          ? `${what} exited with code ${end.code} and printed nothing.`
          : `${why}\n(${what} exited with code ${end.code}.)`,
      );
    case 'killed':
      return failed(`${what} was killed by ${end.signal}.${why === '' ? '' : `\n${why}`}`);
    case 'timed-out':
      return failed(
        `${what} was stopped because the run reached its time limit of ${duration(trace.timeoutMs)}.${lastError(trace)}`,
      );
    case 'over-limit':
      return failed(`${what} was stopped because it used more than ${end.limit}.`);
    case 'not-started':
      return failed(`${what} couldn't start: ${whyNotStarted(trace.program, end.reason)}`, {
        error_code: 'environment_setup_failed',
      });
    case 'aborted':
      return undefined;
  }
}

function lastError(trace: CommandTrace): string {
  if (trace.reason !== undefined) return `\nLast error: ${whyFailed(trace)}`;
  const words = lastMessages(trace.stderr);
  return words === '' ? '' : `\nLast error output: ${words}`;
}

function whyNotStarted(program: string, reason: string): string {
  switch (reason) {
    case 'ENOENT':
      return `"${program}" isn't installed on the runs service's machine.`;
    case 'E2BIG':
      return `an argument is longer than the 128 KiB that the system allows. Use {prompt_file} and {base_prompt_file} in the environment's command.`;
    default:
      return `"${program}" (${reason}).`;
  }
}

function duration(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)}s` : `${Math.round(ms / 60_000)} min`;
}

/** Max levels of JSON to unpack in a message, because the message in a JSON text can be JSON again. */
const maxDepth = 4;

const opencodeLog = /^timestamp=\S+ level=ERROR .*? error(?:\.error)?=("(?:\\.|[^"\\])*")/;

/** Replaces JSON in a text with the message that it contains, as in `[API Error: {"error":{"message":"…"}}]`. */
export function messageIn(text: string, depth = maxDepth): string {
  const [, logged] = opencodeLog.exec(text) ?? [];
  if (logged !== undefined) return messageOf(parseJson(logged)) ?? text;
  const from = text.indexOf('{');
  const to = text.lastIndexOf('}') + 1;
  if (depth === 0 || from < 0 || to <= from) return text;
  const message = messageOf(parseJson(text.slice(from, to)));
  if (message === undefined) return text;
  return text.slice(0, from) + messageIn(message, depth - 1) + text.slice(to);
}

function messageOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of ['error', 'message', 'detail']) {
    const message = messageOf(Reflect.get(value, name));
    if (message !== undefined && message !== '') return message;
  }
  return undefined;
}
