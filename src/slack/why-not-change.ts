import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { RunRequest } from '../store/request-row.ts';
import type { Settings } from '../store/settings.ts';

/** Workspace setting: `creator` (and admins), or `anyone` who is a full member of the workspace. */
const whoMayCancelSetting = 'runs.who-may-cancel';
const whoSchema = z.enum(['creator', 'anyone']).catch('creator');

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
