import { z } from 'zod';

/** A run in a button or a modal: by our request where there is one, else by the id that the runs service gave it. */
export const runRefSchema = z.union([
  z.object({ requestId: z.string().min(1) }),
  z.object({ runId: z.string().min(1) }),
]);
export type RunRef = z.infer<typeof runRefSchema>;

/** Request ids begin with the id of a workspace, so that this cannot be the beginning of one. */
const runPrefix = 'run:';

export const writeRunRef = (ref: RunRef): string =>
  'requestId' in ref ? ref.requestId : `${runPrefix}${ref.runId}`;

export function readRunRef(text: string | undefined): RunRef | undefined {
  if (!text) return undefined;
  if (!text.startsWith(runPrefix)) return { requestId: text };
  const runId = text.slice(runPrefix.length);
  return runId ? { runId } : undefined;
}
