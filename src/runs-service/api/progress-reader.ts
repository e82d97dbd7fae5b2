import type { AgentProgress } from 'runs-client/contract';
import type { ServiceRunProgress } from '../../store/service/service-run-progress.ts';

/** Reads what agents reported. */
export function createProgressReader(store: ServiceRunProgress) {
  return {
    async of(runId: string): Promise<AgentProgress | undefined> {
      const [found] = await store.listOf([runId]);
      return found && JSON.parse(found.progress_json);
    },

    /** For lists: without what is long. */
    async briefOf(runIds: readonly string[]): Promise<Map<string, AgentProgress>> {
      const brief = (await store.listOf(runIds)).map(({ run_id, progress_json }) => {
        const { answer: _, tool_calls: __, ...rest }: AgentProgress = JSON.parse(progress_json);
        return [run_id, rest] as const;
      });
      return new Map(brief);
    },
  };
}
