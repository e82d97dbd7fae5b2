/** The setting of who, besides the creator of a run, may answer its agent: of a channel or else of the workspace. */
import { z } from 'zod';
import type { Settings } from '../../store/people/settings.ts';
import { setting } from '../configuration/setting.ts';

const ids = z.array(z.string()).catch([]);
const answerersSchema = z.object({ people: ids, groups: ids });
/** Slack ids of people and user groups. */
export type Answerers = z.infer<typeof answerersSchema>;

const nobody: Answerers = { people: [], groups: [] };

export const whoMayAnswer = setting('runs.who-may-answer', answerersSchema.catch(nobody));

export async function readAnswerers(
  settings: Pick<Settings, 'read'>,
  { teamId, channelId }: { teamId: string; channelId: string },
): Promise<Answerers> {
  const channel = await whoMayAnswer.read(settings, {
    ...{ teamId, scope: 'channel', scopeId: channelId },
  });
  if (channel.people.length + channel.groups.length > 0) return channel;
  return whoMayAnswer.read(settings, { teamId, scope: 'workspace', scopeId: teamId });
}

/** As mrkdwn, for the sentence that says who may. */
export const answererNames = ({ people, groups }: Answerers): string[] => [
  ...people.map((id) => `<@${id}>`),
  ...groups.map((id) => `<!subteam^${id}>`),
];
