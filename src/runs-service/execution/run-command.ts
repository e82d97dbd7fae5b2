import type { AgentConfig } from 'runs-client/contract';
import type { ServiceRun } from '../../store/service/service-runs.ts';
import type { ServiceEnvironment } from '../environments/environments.ts';
import { isInstalled } from '../harnesses/agent-command.ts';
import type { AgentUsage } from '../harnesses/steps/agent-step.ts';
import {
  createFailureReason,
  stepsIn,
  type UsageMeter,
  wordsOf,
} from '../harnesses/steps/read-steps.ts';
import type { Checkouts } from './git/checkout.ts';
import type { OutputRecorder } from './output/output-recorder.ts';
import { createOutputStreams, type OutputStreams } from './output/output-streams.ts';
import { createOutputTail } from './output/output-tail.ts';
import { containerName, inContainer, removeContainer } from './processes/container.ts';
import type { Identity } from './processes/identity.ts';
import { type ChildEnd, runInGroup } from './processes/process-group.ts';
import { commandFailure, type RunEnd } from './run-end.ts';
import type { RunFiles } from './run-files.ts';
import type { SetUpCache } from './set-up/set-up-cache.ts';
import type { Skills } from './skills.ts';

export type StepTools = {
  checkouts: Checkouts;
  skills: Skills;
  setUps: SetUpCache;
  files: RunFiles;
  /** The next message that somebody sent to the run; after undefined the run takes no more. */
  takeFollowup: (runId: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Adds a line to the run's timeline. */
  note: (runId: string, text: string) => Promise<void>;
  /** Keeps what the run has used so far, by the agent's own account. */
  keepUsage: (runId: string, usage: AgentUsage) => Promise<void>;
  path: string;
  outputLimitBytes: number;
  killGraceMs: number;
};

/** A run while it goes on. */
export type Going = {
  run: ServiceRun;
  config: AgentConfig;
  environment: ServiceEnvironment;
  /** The environment's secrets, by the names of their variables. */
  secrets: Record<string, string>;
  /** What is taken out of everything that is kept or shown. */
  hidden: readonly string[];
  /** As whom commands run; the service's own user unless given. */
  identity: Identity | undefined;
  workDir: string;
  recorder: OutputRecorder;
  usage: UsageMeter;
  signal: AbortSignal;
  timeoutMs: number;
  deadlineMs: number;
};

const tailBytes = 16_384;

export type Command = {
  /** As a message calls it: "The agent". */
  what: string;
  argv: readonly string[];
  variables: Record<string, string>;
  cwd: string;
  input: string;
};

/** Runs a command of a run where its environment says, within its limits; gives the end of the run if it failed. */
export async function runCommand(
  tools: StepTools,
  going: Going,
  command: Command,
): Promise<RunEnd | undefined> {
  const tails = { stdout: createOutputTail(tailBytes), stderr: createOutputTail(tailBytes) };
  const reason = createFailureReason();
  const streams = createOutputStreams(going.hidden, (lines, stream) => {
    going.recorder.write(lines, tails[stream]);
    tails[stream].push(lines);
    if (stream === 'stderr') return;
    for (const step of stepsIn(lines)) {
      going.usage.add(step);
      reason.add(step);
    }
  });
  const end = await runIsolated(tools, going, command, streams.push);
  streams.end();
  const used = going.usage.total();
  if (used) await tools.keepUsage(going.run.id, used);
  return commandFailure(command.what, end, {
    program: command.argv[0] ?? '',
    reason: reason.text(),
    complained: tails.stderr.text(),
    printed: wordsOf(tails.stdout.text()),
    timeoutMs: going.timeoutMs,
  });
}

async function runIsolated(
  tools: StepTools,
  going: Going,
  { argv, variables, cwd, input }: Command,
  onOutput: OutputStreams['push'],
): Promise<ChildEnd> {
  const { environment, run, workDir } = going;
  const limitMb = environment.memory_limit_mb;
  const [program = ''] = argv;
  // Behind another program the system would not say that this one is missing.
  if (limitMb !== undefined && !isInstalled(program, variables['PATH'] ?? '', cwd))
    return { how: 'not-started', reason: 'ENOENT' };
  const name = containerName(run.id);
  const place = { name, workDir, cwd, variables };
  const end = await runInGroup({
    command: environment.container
      ? [...inContainer(environment.container, place), ...argv]
      : [...(limitMb === undefined ? [] : memoryLimit(limitMb)), ...argv],
    variables,
    cwd,
    input,
    identity: going.identity,
    onOutput,
    timeoutMs: Math.max(1, going.deadlineMs - Date.now()),
    graceMs: tools.killGraceMs,
    signal: going.signal,
  });
  const trouble = await removeContainer(environment, run.id, variables);
  if (trouble !== undefined) await tools.note(run.id, trouble);
  return end;
}

/** For each process on its own. What counts is memory that it can write to; programs reserve far more than they use. */
const memoryLimit = (megabytes: number) => [
  'prlimit',
  `--data=${megabytes * 1024 * 1024}`,
  '--core=0',
  '--',
];
