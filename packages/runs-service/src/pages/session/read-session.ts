import { type FileHandle, open } from 'node:fs/promises';
import { createMask, maskValues } from 'base/secrets/mask-secrets';
import {
  type AgentConfig,
  type AgentProgress,
  agentConfigSchema,
  isTerminalState,
  type Question,
  type Run,
} from 'runs-client/contract';
import { type PresentedCalls, presentCalls } from '../../api/runs/present-calls.ts';
import { presentRun, withoutKeys } from '../../api/runs/present-run.ts';
import type { ProgressReader } from '../../api/runs/run-results.ts';
import { repositoryName, type ServiceEnvironment } from '../../environments/environments.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import type { PreparedMachine } from '../../execution/prepare-machine.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import type { StoredChange, StoredRun } from '../../store/runs.ts';
import type { Stores } from '../../store/stores.ts';
import type { Answerer } from './session-access.ts';
import { isMaskable } from './session-downloads.ts';
import { masked, maskMetadata, maskProgress } from './session-masks.ts';

/** Data of a session page. */
export type Session = {
  run: Run;
  /** Name of the person who started the run. If that's unknown, the name of the API key's owner. */
  creator: string | undefined;
  config: AgentConfig;
  progress: AgentProgress;
  /** The open question. `answerer` is the reader's name, or the reason why the reader can't answer. */
  openQuestion: { question: Question; answerer: Answerer } | undefined;
  /** Reason why the reader's answer wasn't used. */
  problem?: string | undefined;
  changes: readonly StoredChange[];
  calls: PresentedCalls;
  followups: readonly string[];
  repositories: readonly string[];
  /** Note about the environment's network. */
  network: string | undefined;
  /** Warning if the environment has no sandbox. */
  isolationWarning: string | undefined;
  output: string;
  /** Position in the output file where `output` ends, in bytes. */
  outputEnd: number;
  patch: SessionPatch;
  /** Files of the run. Files with `isMasked` can be opened without signing in, with secrets masked. */
  files: readonly { uid: string; path: string; bytes: number; isMasked: boolean }[];
  /** Reason why the output can't be shown. It was deleted, or this process doesn't have it. */
  missing?: 'pruned' | 'elsewhere' | undefined;
  /** Age at which output is deleted, in days. */
  transcriptDays: number;
  ended: boolean;
  /** Folder of events and downloads, relative to the page, without a slash at the end. */
  address: string;
};

/** Max size of the output on the page, in bytes. More would make browsers slow. The raw log has all output. */
const maxOutputBytes = 512 * 1024;

const dayMs = 86_400_000;

/** Returns the name of the person who started a run in Slack. Undefined if the name isn't known. */
export type NameCreator = (
  run: Pick<StoredRun, 'id' | 'metadata_json' | 'creator_uid'>,
) => Promise<string | undefined>;

export type ReadSession = ReturnType<typeof createReadSession>;

/** Reads the data of a session page. Masks text that looks like a secret. */
export function createReadSession({
  stores: { runs, followups, modelCalls },
  artifacts,
  readProgress,
  environments,
  machine: { files, sandboxes },
  owner,
  transcriptAgeMs,
  nameCreator,
}: {
  stores: Stores;
  artifacts: ArtifactStore;
  readProgress: ProgressReader;
  environments: () => readonly ServiceEnvironment[];
  machine: PreparedMachine;
  /** Name of this process in the store. */
  owner: string;
  /** Age at which transcripts are deleted, in ms. */
  transcriptAgeMs: number;
  nameCreator: NameCreator | undefined;
}) {
  function whyMissing(run: StoredRun): Session['missing'] {
    if (run.started_at === null) return undefined;
    if (!isTerminalState(run.state)) return run.lease_owner === owner ? undefined : 'elsewhere';
    return Date.now() - run.updated_at > transcriptAgeMs ? 'pruned' : 'elsewhere';
  }

  return async function readSession(run: StoredRun): Promise<Omit<Session, 'openQuestion'>> {
    const environment = environments().find(({ id }) => id === run.environment_id);
    const [changes, messages, calls, output, patch, progress, left, person] = await Promise.all([
      runs.changesOf(run.id),
      followups.listOf(run.id),
      modelCalls.ofRun(run.id),
      readEnd(files.outputFile(run.id), !isTerminalState(run.state)),
      readSessionPatch(files, run.id),
      readProgress.of(run),
      artifacts.ofRuns([run.id]),
      nameCreator?.(run),
    ]);
    // Mask everything below except the output, because the output was masked when it was saved.
    const presented = presentRun(run, { reader: undefined, sessionLink: '' });
    const creator = person ?? presented.creator?.display_name ?? undefined;
    return {
      creator: creator && masked(creator),
      run: { ...maskValues(presented, masked), metadata: maskMetadata(presented.metadata ?? {}) },
      config: maskValues(withoutKeys(agentConfigSchema.parse(JSON.parse(run.config_json))), masked),
      changes: maskValues(changes, masked),
      calls: maskValues(presentCalls(calls), masked),
      followups: messages.map(masked),
      progress: progress ? maskProgress(progress) : {},
      repositories: environment?.repositories.map(repositoryName) ?? [],
      network: environment?.network_note,
      isolationWarning: environment && sandboxes.warningOf(environment),
      output: output.text,
      outputEnd: output.end,
      patch,
      files: (left.get(run.id) ?? []).flatMap(({ uid, data: { file } }) =>
        file
          ? [{ uid, path: masked(file.path), bytes: file.bytes, isMasked: isMaskable(file) }]
          : [],
      ),
      missing: output.found ? undefined : whyMissing(run),
      transcriptDays: Math.round(transcriptAgeMs / dayMs),
      ended: isTerminalState(run.state),
      address: run.session_token,
    };
  };
}

/** Reads the last part of a file. While it grows, reads whole lines only. */
async function readEnd(
  path: string,
  isGrowing: boolean,
): Promise<{ text: string; end: number; found: boolean }> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return { text: '', end: 0, found: false };
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - maxOutputBytes);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(size - start),
      0,
      size - start,
      start,
    );
    const read = buffer.subarray(0, bytesRead);
    // Skip the first line if its start is cut off. An unfinished last line is sent as an event once it ends.
    const from = start === 0 ? 0 : read.indexOf(0x0a) + 1;
    const to = isGrowing ? read.lastIndexOf(0x0a) + 1 : read.length;
    const text = read.subarray(from, Math.max(from, to)).toString('utf8');
    return { text, end: start + Math.max(from, to), found: true };
  } finally {
    await file.close();
  }
}

export type SessionPatch = {
  /** First part of the patch, in whole lines, masked. */
  text: string;
  /** Number of secrets masked in `text`. */
  masked: number;
  /** Size of the whole patch file, in bytes. */
  bytes: number;
  /** True if the file has more than `text`. */
  isLonger: boolean;
  /** True if only a part of the changes was saved. */
  isIncomplete: boolean;
};

/** Max bytes to read. A patch can have 50 MiB, and the page shows much less. */
const maxBytes = 1024 * 1024;

export async function readSessionPatch(files: RunFiles, runId: string): Promise<SessionPatch> {
  const incomplete = await readStart(files.incompletePatchFile(runId));
  const read = incomplete ?? (await readStart(files.patchFile(runId)));
  const { text, bytes, isLonger } = read ?? { text: '', bytes: 0, isLonger: false };
  const mask = createMask(0, { keepsLines: true });
  const shown = mask(text);
  const isIncomplete = incomplete !== undefined;
  return { text: shown, masked: mask.count(), bytes, isLonger, isIncomplete };
}

async function readStart(path: string) {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const { size } = await file.stat();
    const length = Math.min(size, maxBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    const read = buffer.subarray(0, bytesRead);
    const isLonger = size > length;
    const shown = isLonger ? read.subarray(0, read.lastIndexOf(0x0a) + 1) : read;
    return { text: shown.toString('utf8'), bytes: size, isLonger };
  } finally {
    await file.close();
  }
}
