import { withPatience } from '../lib/patience.ts';
import type { People, Person } from './people.ts';
import { readSlackTrouble } from './slack-trouble.ts';

/** A sentence that says why this person may not, and whom to ask; undefined when they may. */
export type WhyNot = (teamId: string, userId: string) => Promise<string | undefined>;

/** A form must be acknowledged in three seconds. A slow Slack keeps no member of the workspace from working. */
const patienceMs = 1_200;

type Standing = Exclude<Person['standing'], 'member'>;

const mayNotStart: Record<Standing, string> = {
  guest: 'Guests of this workspace cannot start agent runs. Ask a member to start it for you.',
  stranger:
    'Only members of the workspace that this app belongs to can start agent runs. Ask one of them to start it for you.',
};
const mayNotSee: Record<Standing, string> = {
  guest:
    'Guests of this workspace do not see the team’s agent runs. Ask a member what you want to know, or an admin to make you a full member.',
  stranger:
    'Only members of the workspace that this app belongs to see its agent runs. Ask one of them what you want to know.',
};
const unsure = 'Slack did not say who you are, so no runs are shown. Try again in a moment.';

/** Full members only: an agent works with the team's own repositories and keys. */
export function createWhyNotStart(people: Pick<People, 'find' | 'recallFresh'>): WhyNot {
  const ask: WhyNot = async (teamId, userId) => {
    try {
      return sentenceFor(await people.find(userId), teamId, mayNotStart);
    } catch (error) {
      readSlackTrouble(error);
      return undefined;
    }
  };
  return async (teamId, userId) => {
    const known = people.recallFresh(userId);
    if (known) return sentenceFor(known, teamId, mayNotStart);
    return await withPatience(ask(teamId, userId), patienceMs);
  };
}

/** Who sees lists of runs: as those who may start them, but without an answer of Slack nobody. */
export function createWhyNotSee(people: Pick<People, 'find'>): WhyNot {
  return async (teamId, userId) => {
    try {
      return sentenceFor(await people.find(userId), teamId, mayNotSee);
    } catch (error) {
      readSlackTrouble(error);
      return unsure;
    }
  };
}

function sentenceFor(
  { standing, teamId: home }: Person,
  teamId: string,
  sentences: Record<Standing, string>,
): string | undefined {
  if (home !== undefined && home !== teamId) return sentences.stranger;
  return standing === 'member' ? undefined : sentences[standing];
}
