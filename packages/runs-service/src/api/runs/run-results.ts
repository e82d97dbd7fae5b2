import { stat } from 'node:fs/promises';
import { type AgentProgress, isTerminalState, type Run } from 'runs-client/contract';
import { presentInRun } from '../../artifacts/present-artifact.ts';
import type { ServiceEnvironment } from '../../environments/environments.ts';
import type { RunFiles } from '../../execution/files/run-files.ts';
import { presentPublication, pullRequestArtifacts } from '../../publishing/present-publication.ts';
import { planOfRun } from '../../publishing/publish-plan.ts';
import type { ArtifactStore } from '../../store/artifacts.ts';
import type { ProgressStore } from '../../store/progress-store.ts';
import type { Publications } from '../../store/publications.ts';
import type { RunQuestions } from '../../store/run-questions.ts';
import type { StoredRun } from '../../store/runs.ts';

/** Results of a run, as the API shows them. */
export type RunResults = Pick<Run, 'artifacts' | 'publication'>;

export type ReadResults = (runs: readonly StoredRun[]) => Promise<(run: StoredRun) => RunResults>;

type ReadResultsDeps = {
  publications: Pick<Publications, 'ofRuns'>;
  artifacts: Pick<ArtifactStore, 'ofRuns'>;
  environments: () => readonly ServiceEnvironment[];
  files: Pick<RunFiles, 'patchFile'>;
};

/** Creates a function that reads the results of several runs at once. */
export function createReadResults(deps: ReadResultsDeps): ReadResults {
  const { publications, artifacts, environments, files } = deps;

  /** Returns true if people can publish the run's changes. */
  async function isOffered(run: StoredRun): Promise<boolean> {
    if (!isTerminalState(run.state)) return false;
    if (!planOfRun(environments, run)) return false;
    const found = await stat(files.patchFile(run.id)).catch(() => undefined);
    return found !== undefined && found.size > 0;
  }

  return async (runs) => {
    const ids = runs.map(({ id }) => id);
    const [published, left] = await Promise.all([publications.ofRuns(ids), artifacts.ofRuns(ids)]);
    const others = runs.filter(({ id }) => !published.has(id));
    const offered = new Set<string>();
    for (const run of others) if (await isOffered(run)) offered.add(run.id);
    return (run) => {
      const publication = published.get(run.id);
      const files = (left.get(run.id) ?? []).map(presentInRun);
      if (!publication)
        return {
          artifacts: files,
          ...(offered.has(run.id) && { publication: { state: 'offered' } }),
        };
      return {
        artifacts: [...pullRequestArtifacts(publication), ...files],
        publication: presentPublication(publication, planOfRun(environments, run)),
      };
    };
  };
}

type ProgressReaderDeps = {
  progress: Pick<ProgressStore, 'listOf'>;
  questions: Pick<RunQuestions, 'lastOf'>;
};

type Read = Pick<StoredRun, 'id' | 'state'>;

/**
 * Creates functions that read the agents' progress and questions. A run in the state `BLOCKED` always has a question,
 * because the store saves both together.
 */
export function createProgressReader({ progress, questions }: ProgressReaderDeps) {
  async function reported(runIds: readonly string[]): Promise<Map<string, AgentProgress>> {
    const rows = await progress.listOf(runIds);
    return new Map(rows.map((row) => [row.run_id, JSON.parse(row.progress_json)]));
  }

  async function readAll(runs: readonly Read[]): Promise<Map<string, AgentProgress>> {
    const blocked = runs.filter(({ state }) => state === 'BLOCKED');
    const [all, asked] = await Promise.all([
      reported(runs.map(({ id }) => id)),
      questions.lastOf(blocked.map(({ id }) => id)),
    ]);
    for (const { run_id: id, question_json: json } of asked)
      all.set(id, { ...all.get(id), question: JSON.parse(json) });
    return all;
  }

  return {
    async of(run: Read): Promise<AgentProgress | undefined> {
      return (await readAll([run])).get(run.id);
    },

    /** Returns the progress of runs for lists, without long texts. */
    async briefOf(runs: readonly Read[]): Promise<Map<string, AgentProgress>> {
      const brief = [...(await readAll(runs))].map(([id, progressOf]) => {
        const { answer: _, tool_calls: __, ...rest } = progressOf;
        return [id, rest] as const;
      });
      return new Map(brief);
    },

    async answerOf(runId: string): Promise<string> {
      return (await reported([runId])).get(runId)?.answer ?? '';
    },
  };
}
export type ProgressReader = ReturnType<typeof createProgressReader>;
