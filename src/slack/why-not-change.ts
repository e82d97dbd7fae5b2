import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { RunRequest } from '../store/request-row.ts';
import type { Settings } from '../store/settings.ts';
import type { Person } from './people.ts';

/** Workspace setting: `creator` (and admins), or `anyone` who is a full member of the workspace. */
const whoMayCancelSetting = 'runs.who-may-cancel';
const whoSchema = z.enum(['creator', 'anyone']).catch('creator');

/** Whether somebody may change every run, as far as is known: what counts is asked again when they do. */
export async function mayChangeAll(
  settings: Pick<Settings, 'read'>,
  teamId: string,
  person: Person | undefined,
): Promise<boolean> {
  if (!person || (person.teamId !== undefined && person.teamId !== teamId)) return false;
  if (person.isAdmin) return true;
  const owner = { teamId, scope: 'workspace', scopeId: teamId } as const;
  const who = whoSchema.parse(await settings.read(owner, whoMayCancelSetting));
  return who === 'anyone' && person.standing === 'member';
}

type Parts = { settings: Pick<Settings, 'read'>; client: Pick<WebClient, 'users'> };

/** Undefined when the person may cancel or silence the run; otherwise the sentence that says why not. */
export async function whyNotChange(
  { settings, client }: Parts,
  { creatorId, teamId }: Pick<RunRequest, 'creatorId' | 'teamId'>,
  userId: string,
): Promise<string | undefined> {
  if (userId === creatorId) return undefined;
  const owner = { teamId, scope: 'workspace', scopeId: teamId } as const;
  const who = whoSchema.parse(await settings.read(owner, whoMayCancelSetting));
  const { user } = await client.users.info({ user: userId });
  const isOurs = user?.team_id === undefined || user.team_id === teamId;
  if (isOurs && (user?.is_admin || user?.is_owner)) return undefined;
  if (isOurs && who === 'anyone' && !user?.is_restricted) return undefined;
  return `Only <@${creatorId}>, who started this run, and the admins of the workspace may do that. Ask one of them.`;
}
