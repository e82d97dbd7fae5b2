import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import type { HarnessName } from './agent-command.ts';

/**
 * Session files in a run's folder: the folder to search, and a pattern of paths in which `*` also matches slashes.
 */
export type SessionFiles = { folder: string; pattern: string };

const below = (folder: string, pattern = '*'): SessionFiles => ({
  folder,
  pattern: `${folder}/${pattern}`,
});

/**
 * Session files of the known agents, without settings, hooks, keys and programs, because later runs for other people
 * get these files. docs/environments.md lists them.
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

/** Events that contain the session's ID: of Claude Code and Gemini CLI, Codex, and OpenCode. */
const sessionEvent = z.union([
  z.object({ type: z.string(), session_id: id }).transform(({ session_id }) => session_id),
  z
    .object({ type: z.literal('thread.started'), thread_id: id })
    .transform(({ thread_id }) => thread_id),
  z.object({ type: z.string(), sessionID: id }).transform(({ sessionID }) => sessionID),
]);

/** Returns the agent's session ID in a line of its output. A later command continues the session by it. */
export function sessionIdIn(line: string): string | undefined {
  if (!line.startsWith('{') || !/session|thread/.test(line)) return undefined;
  return sessionEvent.safeParse(parseJson(line)).data;
}
