import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findEnvironment, type ServiceEnvironment } from '../../environments/environments.ts';
import { isSessionId, sessionFiles } from '../../harnesses/agent-sessions.ts';

import {
  type Conversations,
  memoryId,
  type StoredConversation,
} from '../../store/kept-conversations.ts';
import type { ExecutedRun } from '../../store/runs.ts';
import { type AgentHomeOptions, archiveAgentHome, restoreAgentHome } from './agent-home-archive.ts';
import { conversationText, type EarlierRun } from './conversation-text.ts';
import { BrokenSealError, newFileKey } from './sealed-file.ts';

type MemoryOptions = {
  folder: string;
  /**
   * Store of kept conversations. While the database is down, its calls and `earlierRuns` wait until the run's signal
   * aborts.
   */
  conversations: {
    get: (id: string, signal: AbortSignal) => Promise<StoredConversation | undefined>;
    save: (conversation: StoredConversation, signal: AbortSignal) => Promise<void>;
  };
  /** Returns the earlier runs of the run's conversation, oldest first. */
  earlierRuns: (run: ExecutedRun, signal: AbortSignal) => Promise<EarlierRun[]>;
  /** True if a run on another machine is using the memory of this conversation. */
  isHeldByAnotherRun?: boolean;
  limitBytes?: number;
};

const defaultDays = 7;
const defaultLimitBytes = 200 * 1024 * 1024;
const dayMs = 24 * 60 * 60_000;

export const keptMs = ({ conversation_days: days = defaultDays }: Partial<ServiceEnvironment>) =>
  days * dayMs;

/**
 * Creates a function that opens the memory of an agent. The memory consists of files in the agent's home that the
 * conversation's next run gets.
 */
export function createMemories({ limitBytes = defaultLimitBytes, ...options }: MemoryOptions) {
  const {
    folder,
    conversations,
    earlierRuns,
    isHeldByAnotherRun: isHeldElsewhere = false,
  } = options;
  const held = new Set<string>();

  /**
   * Opens the memory of a run's conversation. Only one run can use the memory at a time, until that run releases it.
   */
  return async function open(
    run: ExecutedRun,
    environment: ServiceEnvironment,
    signal: AbortSignal,
  ) {
    const id = memoryId(run.conversation_id, environment.id);
    const isFree = !isHeldElsewhere && !held.has(id);
    if (isFree) held.add(id);
    const found = isFree ? await conversations.get(id, signal) : undefined;
    const isFresh = found && found.saved_at > Date.now() - keptMs(environment);
    const kept = isFresh ? found : undefined;
    let sessionId: string | undefined;
    let workName = kept?.work_name ?? run.id;
    let isContinued = false;

    /** Restores the session files. Returns the reason if that's impossible. */
    async function putBack(
      { file_name, file_key, session_id }: StoredConversation,
      home: AgentHomeOptions,
    ) {
      const file = join(folder, file_name);
      if (!existsSync(file)) return "it isn't on this machine";
      try {
        const failure = await restoreAgentHome(home, sessionFiles(environment), {
          file,
          key: file_key,
        });
        if (failure) return failure.problem;
      } catch (error) {
        if (!(error instanceof BrokenSealError)) throw error;
        return error.message;
      }
      // Check the ID, because it becomes an argument of the agent's command.
      sessionId = session_id !== null && isSessionId(session_id) ? session_id : undefined;
      isContinued = true;
      return undefined;
    }

    return {
      /**
       * Name of the work folder as the agent sees it. All runs of a conversation use the same name, because agents find
       * their sessions by the folder's path.
       */
      workName,
      /**
       * Records the actual folder name for later runs. The name differs from `workName` if the wanted path was already
       * in use.
       */
      worksIn(name: string): void {
        workName = name;
      },

      /** Returns the ID of the agent's session, once it's known. */
      sessionId: () => sessionId,
      learnSession(found: string): void {
        if (isSessionId(found)) sessionId = found;
      },

      /** Restores the session files in the agent's home. Returns a line for the timeline. */
      async restore(home: AgentHomeOptions): Promise<string | undefined> {
        if (!isFree)
          return 'Another run of this conversation is active, so the agent starts without its memory';
        if (!kept) return undefined;
        const problem = await putBack(kept, home);
        return problem === undefined
          ? "Continued with the agent's memory of this conversation"
          : `Couldn't read what was kept of this conversation (${problem}), so the agent starts without its memory`;
      },

      /** Returns the conversation so far, for an agent that can't continue its session. */
      async text(): Promise<string | undefined> {
        const earlier = await earlierRuns(run, signal);
        return earlier.length === 0 ? undefined : conversationText(earlier);
      },

      isContinued: () => isContinued,

      /** Forgets a session that turned out to be unusable. */
      forgetSession(): void {
        sessionId = undefined;
      },

      /** Saves the session files from the agent's home. Returns the reason if that fails. */
      async save(home: AgentHomeOptions): Promise<string | undefined> {
        if (!isFree || keptMs(environment) === 0) return undefined;
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const [name, key] = [randomUUID(), newFileKey()];
        const file = join(folder, name);
        const target = { file, key, limitBytes };
        const outcome = await archiveAgentHome(home, sessionFiles(environment), target);
        if (outcome !== 'archived') {
          await rm(file, { force: true });
          return outcome === 'nothing' ? undefined : outcome.problem;
        }
        const conversation = {
          id,
          environment_id: environment.id,
          work_name: workName,
          session_id: sessionId ?? null,
          file_name: name,
          file_key: key,
          saved_at: Date.now(),
        };
        await conversations.save(conversation, signal);
        if (found) await rm(join(folder, found.file_name), { force: true });
        return undefined;
      },

      release(): void {
        if (isFree) held.delete(id);
      },
    };
  };
}
export type OpenMemory = ReturnType<typeof createMemories>;
export type Memory = Awaited<ReturnType<OpenMemory>>;

type MemoryPruningOptions = {
  folder: string;
  conversations: Conversations;
  environments: () => readonly ServiceEnvironment[];
};

/** Keep files without a row for an hour, because the file is written first. */
const unfinishedMs = 60 * 60_000;

/** Deletes memories that are older than `conversation_days`. Returns their number. */
export async function pruneMemories(options: MemoryPruningOptions): Promise<number> {
  const { folder, conversations, environments } = options;
  let deleted = 0;
  for (const {
    id,
    environment_id: environmentId,
    saved_at: savedAt,
  } of await conversations.list()) {
    const environment = findEnvironment(environments(), environmentId) ?? {};
    if (savedAt > Date.now() - keptMs(environment)) continue;
    await conversations.delete(id);
    deleted += 1;
  }
  const wanted = await conversations.fileNames();
  for (const name of await readdir(folder).catch(() => [])) {
    if (wanted.has(name)) continue;
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > unfinishedMs) await rm(join(folder, name));
  }
  return deleted;
}
