import { createHash } from 'node:crypto';
import type { Attempt } from '../engine.ts';

/** A run that starts over has a Job for each attempt. */
export type AttemptId = Pick<Attempt, 'runId' | 'attempt'>;

/** On the Job and its pod; has the Job's name. */
export const jobLabel = 'slash-agent/job';
const managedByUs = { 'app.kubernetes.io/managed-by': 'slash-agent' };
export const ourSelector = 'app.kubernetes.io/managed-by=slash-agent';

const shownCharacters = 36;

/**
 * At most 63 characters, because it's also the value of a label: the run's id as far as names allow it, the attempt, and
 * a hash, because different ids can look the same.
 */
export function jobName({ runId, attempt }: AttemptId): string {
  const shown = runId.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const hash = createHash('sha256').update(`${runId}\n${attempt}`).digest('hex').slice(0, 10);
  return `run-${trimmed(shown.slice(0, shownCharacters))}-${attempt}-${hash}`.replace(/-+/g, '-');
}

/** A label's value has at most 63 characters and ends with a letter or digit. */
const labelValue = (text: string) => trimmed(text.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 63));

const trimmed = (text: string) => text.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');

export function labelsOf(attempt: AttemptId, environmentId: string): Record<string, string> {
  return {
    ...managedByUs,
    'app.kubernetes.io/name': 'slash-agent-run',
    'slash-agent/environment': labelValue(environmentId),
    'slash-agent/run': labelValue(attempt.runId),
    [jobLabel]: jobName(attempt),
  };
}
