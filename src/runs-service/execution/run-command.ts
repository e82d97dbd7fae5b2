import { createFailureReason, stepsIn, wordsOf } from '../harnesses/steps/read-steps.ts';
import { createOutputStreams } from './output/output-streams.ts';
import { createOutputTail } from './output/output-tail.ts';
import type { RunContext, StepTools } from './run-context.ts';
import { commandFailure, type RunEnd } from './run-end.ts';

const tailBytes = 16_384;

export type Command = {
  /** The subject of messages: "The agent". */
  what: string;
  argv: readonly string[];
  variables: Record<string, string>;
  cwd: string;
  input: string;
};

/** Runs a command within the wall and limits of its environment. Returns the end of the run if it failed. */
export async function runCommand(
  tools: StepTools,
  context: RunContext,
  command: Command,
): Promise<RunEnd | undefined> {
  const tails = { stdout: createOutputTail(tailBytes), stderr: createOutputTail(tailBytes) };
  const reason = createFailureReason();
  const streams = createOutputStreams(context.hidden, (lines, stream) => {
    context.recorder.write(lines, tails[stream]);
    tails[stream].push(lines);
    if (stream === 'stderr') return;
    for (const step of stepsIn(lines)) {
      context.usage.add(step);
      reason.add(step);
    }
  });
  const { what, ...rest } = command;
  const end = await context.wall.run({
    ...rest,
    onOutput: streams.push,
    timeoutMs: Math.max(1, context.deadlineMs - Date.now()),
    graceMs: tools.killGraceMs,
    signal: context.signal,
  });
  streams.end();
  const used = context.usage.total();
  if (used) await tools.saveUsage(context.run.id, used);
  return commandFailure(what, end, {
    program: command.argv[0] ?? '',
    reason: reason.text(),
    stderr: tails.stderr.text(),
    stdout: wordsOf(tails.stdout.text()),
    timeoutMs: context.timeoutMs,
  });
}
