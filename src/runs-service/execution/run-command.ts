import { isInstalled } from '../harnesses/agent-command.ts';
import { createFailureReason, stepsIn, wordsOf } from '../harnesses/steps/read-steps.ts';
import { createOutputStreams, type OutputStreams } from './output/output-streams.ts';
import { createOutputTail } from './output/output-tail.ts';
import { containerName, inContainer, removeContainer } from './processes/container.ts';
import { type ChildEnd, runInGroup } from './processes/process-group.ts';
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

/** Runs a command within the walls and limits of its environment. Returns the end of the run if it failed. */
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
  const end = await runIsolated(tools, context, command, streams.push);
  streams.end();
  const used = context.usage.total();
  if (used) await tools.saveUsage(context.run.id, used);
  return commandFailure(command.what, end, {
    program: command.argv[0] ?? '',
    reason: reason.text(),
    stderr: tails.stderr.text(),
    stdout: wordsOf(tails.stdout.text()),
    timeoutMs: context.timeoutMs,
  });
}

async function runIsolated(
  tools: StepTools,
  context: RunContext,
  { argv, variables, cwd, input }: Command,
  onOutput: OutputStreams['push'],
): Promise<ChildEnd> {
  const { environment, run, workDir } = context;
  const limitMb = environment.memory_limit_mb;
  const [program = ''] = argv;
  // Otherwise prlimit would be the program that starts, and hide that this one is missing.
  if (limitMb !== undefined && !isInstalled(program, variables['PATH'] ?? '', cwd))
    return { how: 'not-started', reason: 'ENOENT' };
  const place = { name: containerName(run.id), workDir, cwd, variables };
  const end = await runInGroup({
    command: environment.container
      ? [...inContainer(environment.container, place), ...argv]
      : [...(limitMb === undefined ? [] : memoryLimit(limitMb)), ...argv],
    variables,
    cwd,
    input,
    identity: context.identity,
    onOutput,
    timeoutMs: Math.max(1, context.deadlineMs - Date.now()),
    graceMs: tools.killGraceMs,
    signal: context.signal,
  });
  const problem = await removeContainer(environment, run.id, variables);
  if (problem !== undefined) await tools.note(run.id, problem);
  return end;
}

/** Per process. Limits writable memory, because programs reserve far more address space than they use. */
const memoryLimit = (megabytes: number) => [
  'prlimit',
  `--data=${megabytes * 1024 * 1024}`,
  '--core=0',
  '--',
];
