import { parseJson } from 'base/parse-json';
import { z } from 'zod';

/** It becomes an argument of the agent's command. */
const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/);

export const isSessionId = (value: string) => id.safeParse(value).success;

/** As claude and gemini, codex, and opencode name it. */
const sessionEvent = z.union([
  z.object({ type: z.string(), session_id: id }).transform(({ session_id }) => session_id),
  z
    .object({ type: z.literal('thread.started'), thread_id: id })
    .transform(({ thread_id }) => thread_id),
  z.object({ type: z.string(), sessionID: id }).transform(({ sessionID }) => sessionID),
]);

/** The id of the agent's own session in a line of its output, with which a later command continues it. */
export function sessionIdIn(line: string): string | undefined {
  if (!line.startsWith('{') || !/session|thread/.test(line)) return undefined;
  return sessionEvent.safeParse(parseJson(line)).data;
}
