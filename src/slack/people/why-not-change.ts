import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { RunRequest } from '../../store/request-row.ts';
import type { Settings } from '../../store/settings.ts';
import type { Person } from './people.ts';

/** `anyone` is every full member of the workspace. */
export const mayCancel = ['creator', 'creator and admins', 'anyone'] as const;
export type MayCancel = (typeof mayCancel)[number];

const mayCancelKey = 'runs.who-may-cancel';
const mayCancelSchema = z.enum(mayCancel).catch('creator and admins');
const ownerOf = (teamId: string) => ({ teamId, scope: 'workspace', scopeId: teamId }) as const;

export async function readMayCancel(
  settings: Pick<Settings, 'read'>,
  teamId: string,
): Promise<MayCancel> {
  return mayCancelSchema.parse(await settings.read(ownerOf(teamId), mayCancelKey));
}

export function writeMayCancel(
  settings: Pick<Settings, 'write'>,
  teamId: string,
  who: MayCancel,
): Promise<void> {
  return settings.write(ownerOf(teamId), mayCancelKey, who);
}

/** Whether somebody may change every run, as far as is known: what counts is asked again when they do. */
export async function mayChangeAll(
  settings: Pick<Settings, 'read'>,
  teamId: string,
  person: Person | undefined,
): Promise<boolean> {
  if (!person || (person.teamId !== undefined && person.teamId !== teamId)) return false;
  const who = await readMayCancel(settings, teamId);
  if (person.isAdmin) return who !== 'creator';
  return who === 'anyone' && person.standing === 'member';
}

type Parts = { settings: Pick<Settings, 'read'>; client: Pick<WebClient, 'users'> };

/** Undefined when the person may cancel or silence the run; otherwise the sentence that says why not. */
export async function whyNotChange(
  { settings, client }: Parts,
  { creatorId, teamId, origin }: Pick<RunRequest, 'creatorId' | 'teamId' | 'origin'>,
  userId: string,
): Promise<string | undefined> {
  if (userId === creatorId) return undefined;
  const who = await readMayCancel(settings, teamId);
  const { user } = await client.users.info({ user: userId });
  const isOurs = user?.team_id === undefined || user.team_id === teamId;
  // The creator of a workflow's run may be the app itself, which can press no button.
  const countsAdmins = who !== 'creator' || origin?.kind === 'workflow';
  if (isOurs && countsAdmins && (user?.is_admin || user?.is_owner)) return undefined;
  if (isOurs && who === 'anyone' && !user?.is_restricted) return undefined;
  if (who === 'anyone') return 'Only members of this workspace may do that, not guests.';
  return countsAdmins
    ? `Only <@${creatorId}>, who started this run, and the admins of the workspace may do that. Ask one of them.`
    : `Only <@${creatorId}>, who started this run, may do that: the workspace’s settings say so.`;
}
