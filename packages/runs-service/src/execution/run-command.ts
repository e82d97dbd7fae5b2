import type { Readable } from 'node:stream';
import { sessionIdIn } from '../harnesses/agent-sessions.ts';
import type { AgentFailure } from '../harnesses/harness.ts';
import { createFailureReason, eventTexts, readSteps } from '../harnesses/steps/read-steps.ts';
import type { OpenModels } from './model-access.ts';
import { createOutputTail } from './output/output-recorder.ts';
import { createOutputStreams } from './output/output-streams.ts';
import type { RunContext, StepLimits } from './run-context.ts';
import { commandFailure, failed } from './run-end.ts';
import type { RunStore } from './run-store.ts';

const tailBytes = 16_384;

type Command = {
  /** Name of the command at the start of messages, such as "The agent". */
  what: string;
  argv: readonly string[];
  variables: Record<string, string>;
  cwd: string;
  input: string | Readable;
  /** Turns standard output into lines to record. */
  translate?: ((chunk: Buffer) => Buffer) | undefined;
  /** Signal that ends the command. By default the signal of the run. */
  signal?: AbortSignal | undefined;
  /** True if the command's output is the agent's progress. */
  isAgent?: boolean;
};

type CommandContext = Pick<RunContext, 'hidden' | 'sandbox' | 'signal'> & {
  run: Pick<RunContext['run'], 'id'>;
  recorder: Pick<RunContext['recorder'], 'write'>;
  progress: Pick<RunContext['progress'], 'add' | 'print' | 'changed' | 'usage'>;
  memory: Pick<RunContext['memory'], 'learnSession'>;
  clock: Pick<RunContext['clock'], 'expired' | 'limitMs'>;
  models: Pick<OpenModels, 'stopped'> | undefined;
};

/**
 * Runs a command in the environment's sandbox, within its limits. Returns the failed end of the run if the command
 * failed.
 */
export async function runCommand(
  deps: { store: Pick<RunStore, 'saveUsage'>; limits: Pick<StepLimits, 'killGraceMs'> },
  context: CommandContext,
  command: Command,
): Promise<AgentFailure | undefined> {
  const tails = { stdout: createOutputTail(tailBytes), stderr: createOutputTail(tailBytes) };
  const reason = createFailureReason();
  const streams = createOutputStreams(context.hidden, (lines, stream) => {
    context.recorder.write(lines, tails[stream]);
    tails[stream].push(lines);
    if (stream === 'stdout') for (const line of linesIn(lines)) read(line);
  });
  const { what, isAgent, translate, signal = context.signal, ...rest } = command;
  const givingUp = new AbortController();
  function read(line: string): void {
    const steps = readSteps(line);
    for (const step of steps ?? []) {
      reason.add(step);
      if (step.kind === 'error' && step.isFinal) givingUp.abort();
    }
    if (!isAgent) return;
    const session = sessionIdIn(line);
    if (session !== undefined) context.memory.learnSession(session);
    for (const step of steps ?? []) context.progress.add(step);
    if (!steps) context.progress.print(line);
    context.progress.changed();
  }
  const { clock, models } = context;
  const endings = [signal, clock.expired, givingUp.signal];
  const ended = await context.sandbox.run({
    ...rest,
    onOutput: (chunk, stream) =>
      streams.push(translate && stream === 'stdout' ? translate(chunk) : chunk, stream),
    // Set no timeout, because the run's clock ends the command. The clock is paused while the run waits for a
    // person's answer.
    timeoutMs: 2 ** 31 - 1,
    graceMs: deps.limits.killGraceMs,
    signal: AbortSignal.any(models ? [...endings, models.stopped] : endings),
  });
  const isLate = ended.how === 'aborted' && clock.expired.aborted && !context.signal.aborted;
  const end = isLate ? { how: 'timed-out' as const } : ended;
  streams.end();
  const used = isAgent ? context.progress.usage() : undefined;
  if (used) await deps.store.saveUsage(context.run.id, used);
  if (end.how === 'aborted' && givingUp.signal.aborted && !signal.aborted)
    return failed(`${what} was stopped. ${reason.text()}`);
  return commandFailure(what, end, {
    program: command.argv[0] ?? '',
    reason: reason.text(),
    stderr: tails.stderr.text(),
    stdout: eventTexts(tails.stdout.text()),
    timeoutMs: clock.limitMs,
  });
}

/**
 * Splits output into lines.
 * @param lines whole lines of output
 */
const linesIn = (lines: Buffer): string[] => lines.toString('utf8').replace(/\n$/, '').split('\n');
