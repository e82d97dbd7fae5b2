import type { AgentConversation } from '../../harnesses/harness.ts';
import type { NewRun, RunContext, StepTools } from '../run-context.ts';

const homeOf = ({ path }: StepTools, { tools, workDir, signal }: RunContext) => ({
  sandbox: tools,
  workDir,
  path,
  signal,
});

/** The conversation so far, for agents that don't remember it. Returns variables for its process. */
export async function writeConversation({
  memory,
  folder,
}: NewRun): Promise<Record<string, string>> {
  const text = await memory.text();
  if (text === undefined) return {};
  return { AGENT_CONVERSATION_FILE: await folder.write('conversation/conversation.txt', text) };
}

/** Puts back what the agent knew. */
export async function restoreMemory(tools: StepTools, context: RunContext): Promise<void> {
  const note = await context.memory.restore(homeOf(tools, context));
  if (note !== undefined) await tools.note(context.run.id, note);
}

/** The session of a run's agent. */
export function createConversation(tools: StepTools, context: RunContext): AgentConversation {
  const { memory, progress, signal, run, environment } = context;
  const note = (text: string) => tools.note(run.id, text);
  const { sessionId, learnSession } = memory;
  let continues = memory.sessionId() !== undefined;
  return {
    sessionId,
    learnSession,

    /** Scripts get their prompt unchanged. They can read the conversation from AGENT_CONVERSATION_FILE. */
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

/** Keeps what the agent knows for the next run of the conversation. */
export async function saveMemory(tools: StepTools, context: RunContext): Promise<void> {
  const { memory, run, signal } = context;
  if (signal.reason === 'lost') return;
  // A stop of the service must not wait long for this.
  const limit = AbortSignal.timeout(signal.aborted ? 2_000 : 60_000);
  const home = { ...homeOf(tools, context), signal: limit };
  // For example the disk is full. The run's result is more important.
  const problem = await memory
    .save(home)
    .catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  if (problem !== undefined)
    await tools.note(run.id, `Couldn't keep the agent's memory for later runs: ${problem}`);
}
