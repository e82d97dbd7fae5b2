import type { AgentProgress } from 'runs-client/contract';
import type { ProgressStore } from '../../store/progress-store.ts';
import type { RunQuestions } from '../../store/run-questions.ts';
import type { StoredRun } from '../../store/runs.ts';

type ProgressReaderParts = {
  progress: Pick<ProgressStore, 'listOf'>;
  questions: Pick<RunQuestions, 'lastOf'>;
};

type Read = Pick<StoredRun, 'id' | 'state'>;

/** Reads what agents reported and ask. A run that is `BLOCKED` always has its question, which the store saves with it. */
export function createProgressReader({ progress, questions }: ProgressReaderParts) {
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

    /** For lists: without what is long. */
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
