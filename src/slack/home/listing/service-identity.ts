import type { Run } from 'runs-client/contract';
import type { RequestList } from '../../../store/requests/request-list.ts';
import type { ReadIdentity } from '../../people/people.ts';

/** Who a person of Slack is as a creator of runs. It's never stored or shown. */
export type ServiceIdentity = { uid: string; email: string };

export type IdentityParts = {
  /** Without it, people's runs at the service aren't theirs. */
  readIdentity?: ReadIdentity | undefined;
  list: Pick<RequestList, 'page'>;
  apiCreators: { uidOf(teamId: string, email: string): Promise<string | undefined> };
};

/** Runs that tell the service's own ID of a person, if it has one. */
const newestLookedAt = 10;

/** Some services make the email address the ID; the ID of others is in runs of the person. */
export async function readServiceIdentity(
  { readIdentity, list, apiCreators }: IdentityParts,
  teamId: string,
  userId: string,
): Promise<ServiceIdentity | undefined> {
  const email = (await readIdentity?.(userId))?.toLowerCase();
  if (!email) return undefined;
  const own = { viewer: { teamId, userId }, creatorId: userId };
  const newest = await list.page(own, { limit: newestLookedAt });
  const theirs = newest.find(({ run }) => run && emailOf(run) === email && run.creator?.uid);
  const uid = theirs?.run?.creator?.uid ?? (await apiCreators.uidOf(teamId, email)) ?? email;
  return { uid, email };
}

export const emailOf = ({ creator }: Run): string | undefined =>
  creator?.email?.toLowerCase() || undefined;

export const isOf = (run: Run, { uid, email }: ServiceIdentity): boolean =>
  run.creator?.uid === uid || emailOf(run) === email;
