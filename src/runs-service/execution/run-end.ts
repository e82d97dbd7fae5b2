import type { RunStatusMessage } from 'runs-client/contract';
import type { ServiceRunUpdate } from '../../store/service/service-runs.ts';
import { nameSome } from '../environments/environments.ts';
import { firstLines, lastLines } from './output/last-lines.ts';
import { messageIn } from './output/message-in.ts';
import type { ChildEnd } from './processes/process-group.ts';

export type RunEnd =
  | { state: 'SUCCEEDED'; status?: RunStatusMessage }
  | { state: 'FAILED'; status: RunStatusMessage }
  | { state: 'CANCELLED'; status?: RunStatusMessage };

export function isRunEnd(value: object): value is RunEnd {
  return 'state' in value && 'status' in value;
}

/** Why the service itself ends a run that is going: the reason of the run's abort signal. */
export type AbortReason = 'cancelled' | 'stopping' | 'lost';

export function failed(message: string, more: Omit<RunStatusMessage, 'message'> = {}): RunEnd {
  return { state: 'FAILED', status: { ...more, message } };
}

/** What the store is told about an end. */
export const endUpdate = (end: RunEnd): ServiceRunUpdate => ({
  state: end.state,
  status_json: end.status ? JSON.stringify(end.status) : null,
  ended_at: Date.now(),
  lease: null,
});

export const environmentGone = (id: string, ids: readonly string[]): RunEnd =>
  failed(
    `The environment "${id}" no longer exists. Choose another one: ${nameSome(ids) || 'there is none yet'}.`,
    { error_code: 'resource_not_found', retryable: false },
  );

const fullDisk = /\b(ENOSPC|EDQUOT)\b|no space left on device|disk quota exceeded/i;

export const isFullDisk = (why: string) => fullDisk.test(why);

/** The end of a run that the service itself could not carry out. */
export function serviceFailure(what: string, why: string): RunEnd {
  const more = { error_code: 'internal_error', retryable: true };
  if (!isFullDisk(why)) return failed(`${what}: ${why}`, more);
  return failed(
    `${what}: there is no space left on the disk of the runs service. Make room in its data folder, then run it again.`,
    { ...more, error_code: 'resource_unavailable' },
  );
}

/** Nobody can know how far such a run got, so it is not started again by itself; a person may. */
export const interrupted = (why: string): RunEnd =>
  failed(`${why} while this run was going, so the run was ended. It can be run again.`, {
    error_code: 'resource_unavailable',
    retryable: true,
  });

export function abortedEnd(reason: AbortReason): RunEnd {
  switch (reason) {
    case 'cancelled':
      return { state: 'CANCELLED' };
    case 'stopping':
      return interrupted('The runs service was stopped');
    case 'lost':
      return interrupted('The runs service lost its claim on the run');
  }
}

export type CommandTrace = {
  program: string;
  /** Why it failed, by its own account. */
  reason: string | undefined;
  complained: string;
  printed: string;
  timeoutMs: number;
};

const shown = { lines: 3, characters: 600 };

/** What a person would read to learn why: the harness's own reason, else its errors, else what it printed. */
function whyFailed({ reason, complained, printed }: CommandTrace): string {
  if (reason !== undefined) return firstLines(messageIn(reason), shown);
  return wordsIn(complained) || wordsIn(printed);
}

/** What is repeated counts once. */
function wordsIn(output: string): string {
  const lines = output.split('\n').map((line) => messageIn(line));
  return lastLines([...new Set(lines)].join('\n'), shown);
}

/** How the end of a command ends the run; undefined when the command did its work. */
export function commandFailure(
  what: string,
  end: ChildEnd,
  trace: CommandTrace,
): RunEnd | undefined {
  const said = whyFailed(trace);
  switch (end.how) {
    case 'exited':
      if (end.code === 0) return undefined;
      return failed(
        said === ''
          ? `${what} ended with exit code ${end.code} and said nothing.`
          : `${said}\n(${what} ended with exit code ${end.code}.)`,
      );
    case 'killed':
      return failed(`${what} was ended by ${end.signal}.${said === '' ? '' : `\n${said}`}`);
    case 'timed-out':
      return failed(
        `${what} was ended because the run reached its time limit of ${duration(trace.timeoutMs)}.${lastError(trace)}`,
      );
    case 'not-started':
      return failed(`${what} couldn't be started: ${whyNotStarted(trace.program, end.reason)}`, {
        error_code: 'environment_setup_failed',
      });
    case 'aborted':
      return undefined;
  }
}

function lastError(trace: CommandTrace): string {
  if (trace.reason !== undefined) return `\nLast error: ${whyFailed(trace)}`;
  const complaint = wordsIn(trace.complained);
  return complaint === '' ? '' : `\nLast error output: ${complaint}`;
}

function whyNotStarted(program: string, reason: string): string {
  switch (reason) {
    case 'ENOENT':
      return `"${program}" is not installed where the runs service runs.`;
    case 'E2BIG':
      return `one of its arguments is longer than the 128 KiB that the system allows. Use {prompt_file} and {base_prompt_file} in the environment's command.`;
    default:
      return `"${program}" (${reason}).`;
  }
}

function duration(ms: number): string {
  if (ms < 90_000) return `${Math.round(ms / 1000)} seconds`;
  return `${Math.round(ms / 60_000)} minutes`;
}
