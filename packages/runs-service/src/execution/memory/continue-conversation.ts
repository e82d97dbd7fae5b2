import type { AgentConversation } from '../../harnesses/harness.ts';
import type { Machine, NewRun, RunContext } from '../run-context.ts';
import type { RunStore } from '../run-store.ts';

type ConversationDeps = { store: Pick<RunStore, 'note'>; machine: Pick<Machine, 'path'> };

const homeOf = ({ machine }: ConversationDeps, { toolSandbox, workDir, signal }: RunContext) => ({
  sandbox: toolSandbox,
  workDir,
  path: machine.path,
  signal,
});

/** Writes the conversation so far, for agents that don't remember it. Returns variables for the agent's process. */
export async function writeConversation({
  memory,
  folder,
}: NewRun): Promise<Record<string, string>> {
  const text = await memory.text();
  if (text === undefined) return {};
  return { AGENT_CONVERSATION_FILE: await folder.write('conversation/conversation.txt', text) };
}

/** Restores the agent's session files that earlier runs of the conversation saved. */
export async function restoreMemory(deps: ConversationDeps, context: RunContext): Promise<void> {
  const note = await context.memory.restore(homeOf(deps, context));
  if (note !== undefined) await deps.store.note(context.run.id, note);
}

/** Creates the object with which a harness continues the conversation. */
export function createConversation(deps: ConversationDeps, context: RunContext): AgentConversation {
  const { memory, progress, signal, run, environment } = context;
  const note = (text: string) => deps.store.note(run.id, text);
  const { sessionId, learnSession } = memory;
  let continues = memory.sessionId() !== undefined;
  return {
    sessionId,
    learnSession,

    /**
     * Returns the prompt, with the conversation so far before it. A script gets only the prompt, because it can read
     * the conversation from AGENT_CONVERSATION_FILE.
     */
    async opening(text) {
      if (environment.harness === undefined || continues) return text;
      const earlier = await memory.text();
      if (earlier === undefined) return text;
      await note('The agent starts a new session, with the earlier conversation as text');
      return `${earlier}\n\n${text}`;
    },

    async startOver(why) {
      const hasWorked = progress.read().tool_calls !== undefined;
      if (!continues || hasWorked || signal.aborted) return false;
      continues = false;
      memory.forgetSession();
      await note(`The agent failed in its earlier session, so it starts a new one. ${why}`);
      return true;
    },
  };
}

/** Keeps the agent's session files for the next run of the conversation. */
export async function saveMemory(deps: ConversationDeps, context: RunContext): Promise<void> {
  const { memory, run, signal } = context;
  if (signal.reason === 'lost') return;
  // Limit saving to 2 seconds if the run is aborted, because a stop of the service waits for it.
  const limit = AbortSignal.timeout(signal.aborted ? 2_000 : 60_000);
  const home = { ...homeOf(deps, context), signal: limit };
  // Report a failure, such as a full disk, only in the timeline. The run's result is more important.
  const problem = await memory
    .save(home)
    .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (problem !== undefined)
    await deps.store.note(run.id, `Couldn't keep the agent's memory for later runs: ${problem}`);
}
