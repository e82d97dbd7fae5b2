import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import type { HarnessName } from './agent-command.ts';

/**
 * Session files in a run's folder. `folder` is the folder to search. `pattern` matches their paths, and its `*` also
 * matches slashes.
 */
export type SessionFiles = { folder: string; pattern: string };

const below = (folder: string, pattern = '*'): SessionFiles => ({
  folder,
  pattern: `${folder}/${pattern}`,
});

/**
 * Session files of the known agents, as listed in docs/environments.md. Settings, hooks, keys and programs are left
 * out, because later runs for other people get these files.
 */
const sessionsOf: Record<HarnessName, SessionFiles[]> = {
  claude: [below('home/.claude/projects', '*.jsonl')],
  codex: [below('input/codex-home/sessions', '*.jsonl')],
  gemini: [below('input/gemini-home/.gemini/tmp', '*/chats/*')],
  opencode: [
    below('home/.local/share/opencode', 'opencode.db*'),
    below('home/.local/share/opencode/storage'),
  ],
};

type Remembering = {
  harness?: HarnessName | 'acp' | undefined;
  /** Files and folders below the home, for agents whose session files aren't known. */
  keep?: string[] | undefined;
};

/** Returns the files of an agent that a conversation keeps. */
export function sessionFiles({ harness, keep = [] }: Remembering): SessionFiles[] {
  if (harness !== undefined && harness !== 'acp') return sessionsOf[harness];
  return keep.flatMap((path) => [
    { folder: `home/${path}`, pattern: `home/${path}` },
    below(`home/${path}`),
  ]);
}

/** Restrict IDs, because they become arguments of the agent's command. */
const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/);

export const isSessionId = (value: string) => id.safeParse(value).success;

/** Schemas that read the session's ID from an event of Claude Code and Gemini CLI, of Codex, or of OpenCode. */
const sessionEvent = z.union([
  z.object({ type: z.string(), session_id: id }).transform(({ session_id }) => session_id),
  z
    .object({ type: z.literal('thread.started'), thread_id: id })
    .transform(({ thread_id }) => thread_id),
  z.object({ type: z.string(), sessionID: id }).transform(({ sessionID }) => sessionID),
]);

/**
 * Returns the ID of the agent's session if the output line contains it. A later command uses the ID to continue the
 * session.
 */
export function sessionIdIn(line: string): string | undefined {
  if (!line.startsWith('{') || !/session|thread/.test(line)) return undefined;
  return sessionEvent.safeParse(parseJson(line)).data;
}
