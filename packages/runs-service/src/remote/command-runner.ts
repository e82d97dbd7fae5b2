import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import type { Logger } from 'base/logger';
import { sleep } from 'base/sleep';
import { failed } from '../execution/run-end.ts';
import { isInstalled } from '../harnesses/agent-command.ts';
import { runOnHost } from '../sandbox/run-on-host.ts';
import { runTool } from '../sandbox/run-tool.ts';
import type { Attempt, LostAttempt, Runner } from './runner.ts';

const timeoutMs = 60_000;

/**
 * Creates a runner that starts runs with an operator's command, which can use any scheduler. The command reads JSON
 * from stdin. Exit code 0 means that the scheduler has accepted the run. From then on, only `run-one` reports about the
 * run.
 */
export function createCommandRunner({ path, logger }: { path: string; logger: Logger }): Runner {
  async function call(argv: readonly string[], input: object, signal?: AbortSignal) {
    return runTool(runOnHost, argv, {
      cwd: tmpdir(),
      variables: { PATH: path, LANG: 'C.UTF-8' },
      timeoutMs,
      input: Readable.from([JSON.stringify(input)]),
      ...(signal && { signal }),
    });
  }

  const about = ({ runId, attempt, environment }: Attempt) => ({
    run_id: runId,
    attempt,
    environment_id: environment.id,
    hints: environment.dispatch?.hints ?? {},
  });

  return {
    async problemOf({ dispatch }) {
      const programs = [dispatch?.command[0], dispatch?.cancel?.[0]];
      const missing = programs.find((each) => each !== undefined && !isInstalled(each, path));
      if (missing === undefined) return undefined;
      return `"${missing}" of "dispatch" isn't installed on the runs service's machine`;
    },

    async dispatch(dispatch, signal): Promise<LostAttempt | undefined> {
      const input = {
        ...about(dispatch),
        service_url: dispatch.variables['RUN_SERVICE_URL'],
        token: dispatch.token,
        deadline_seconds: dispatch.deadlineSeconds,
      };
      const argv = dispatch.environment.dispatch?.command ?? [];
      const { code, output } = await call(argv, input, signal);
      if (code === 0 || signal.aborted) return undefined;
      // Mask the token, because the command's output can repeat its input.
      const why = output.replaceAll(dispatch.token, '***');
      const how = code === undefined ? `failed (${why})` : `exited with code ${code}: ${why}`;
      const message = `The dispatch command ${how}. Fix it or its scheduler, then run this again.`;
      const more = { error_code: 'environment_setup_failed', retryable: true };
      return { end: failed(message, more), canRestart: false };
    },

    /** Waits until the signal aborts, because the command can't report a lost attempt after it has exited. */
    async watch(_attempt, signal) {
      while (!signal.aborted) await sleep(2 ** 31 - 1, signal);
      return undefined;
    },

    async cancel(attempt) {
      const argv = attempt.environment.dispatch?.cancel;
      if (argv === undefined) return;
      const { code, output } = await call(argv, about(attempt));
      if (code === 0) return;
      logger.warn({ runId: attempt.runId, reason: output }, 'the cancel command failed');
    },
  };
}
