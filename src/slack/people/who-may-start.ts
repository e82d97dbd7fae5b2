import { withPatience } from '../../lib/patience.ts';
import { readSlackTrouble } from '../posting/slack-trouble.ts';
import type { People, Person } from './people.ts';

/**
 * Why this person may not, and whom to ask; undefined when they may.
 * @param waitMs for an acknowledgement: how long Slack may take to say who they are
 */
export type WhyNot = (
  teamId: string,
  userId: string,
  waitMs?: number,
) => Promise<string | undefined>;

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
const unsureWho = 'Slack didn’t say who you are';

/** Full members only: an agent works with the team's own repositories and keys. */
export const createWhyNotStart = (people: KnownPeople): WhyNot =>
  createWhyNot(people, mayNotStart, `${unsureWho}, so nothing was started. Try again in a moment.`);

/** Who sees lists of runs: those who may start them. */
export const createWhyNotSee = (people: KnownPeople): WhyNot =>
  createWhyNot(people, mayNotSee, `${unsureWho}, so no runs are shown. Try again in a moment.`);

type KnownPeople = Pick<People, 'find' | 'recall'>;

/** While Slack doesn't say who somebody is, what it said last counts; without that they may not. */
function createWhyNot(
  people: KnownPeople,
  sentences: Record<Standing, string>,
  unsure: string,
): WhyNot {
  return async (teamId, userId, waitMs) => {
    const person = (await ask(people, userId, waitMs)) ?? people.recall([userId]).get(userId);
    return person ? sentenceFor(person, teamId, sentences) : unsure;
  };
}

async function ask(people: KnownPeople, userId: string, waitMs?: number) {
  try {
    const found = people.find(userId);
    return await (waitMs === undefined ? found : withPatience(found, waitMs));
  } catch (error) {
    readSlackTrouble(error);
    return undefined;
  }
}

function sentenceFor(
  { standing, teamId: home }: Person,
  teamId: string,
  sentences: Record<Standing, string>,
): string | undefined {
  if (home !== undefined && home !== teamId) return sentences.stranger;
  return standing === 'member' ? undefined : sentences[standing];
}
