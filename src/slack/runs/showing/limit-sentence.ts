import { orChange } from '../../../policy/ruling-sentences.ts';
import type { Acceptance, StartLimits } from '../../../store/requests/accept-request.ts';
import type { OwnLimit } from '../../people/start-rights.ts';
import { durationText } from '../../text/dates.ts';

type Exceeded = Extract<Acceptance, { used: number }>;

type Limits = StartLimits & {
  activeRuns: OwnLimit | undefined;
  startsPerHour: OwnLimit | undefined;
  /** Person or workflow that started the counted runs. */
  by: 'reader' | 'creator' | 'workflow';
  /** Current time in epoch ms. */
  now: number;
};

/** Says which limit stops a start, and what to do. */
export function limitSentence(exceeded: Exceeded, limits: Limits): string {
  const { maxRunsPerDay, maxActiveRuns, activeRuns, startsPerHour, by, now } = limits;
  const runs = `${exceeded.used} ${exceeded.used === 1 ? 'run' : 'runs'}`;
  const has = subjects[by];
  const started = `${by === 'reader' ? 'You' : has} started ${runs}`;
  switch (exceeded.outcome) {
    case 'too_many_today':
      return `${started} in the last 24 hours. The limit is ${maxRunsPerDay}. Try again in ${durationText(exceeded.freeAt - now)}, or ask the app's operator to raise MAX_RUNS_PER_PERSON_PER_DAY.`;
    case 'too_many_this_hour':
      return `${started} in the last hour. ${allowed(startsPerHour)} Try again in ${durationText(exceeded.freeAt - now)}, or ${orChange(startsPerHour?.ask)}.`;
    case 'too_many_own_live':
      return `${has} ${runs} active. ${allowed(activeRuns)} Wait for one to finish, cancel one, or ${orChange(activeRuns?.ask)}.`;
    case 'too_many_live':
      return `${runs} in this workspace ${exceeded.used === 1 ? 'is' : 'are'} active. The limit is ${maxActiveRuns}. Wait for one to finish, cancel one, or ask the app's operator to raise MAX_ACTIVE_RUNS.`;
  }
}

const subjects = {
  reader: 'You have',
  creator: 'The person who started this run has',
  workflow: 'This workflow has',
};

const allowed = (limit: OwnLimit | undefined) => `The rule "${limit?.rule}" allows ${limit?.most}.`;
