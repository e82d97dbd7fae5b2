import type { Db as ServiceDb } from 'runs-service/store/schema';
import type { LocalWorkspace } from 'slack-stand-in';
import type { Db } from '../src/store/schema.ts';
import { markedMessages } from './marked.ts';
import type { Random } from './random.ts';

/** Channel that another company shares. */
export const sharedChannel = 'C04PARTNERS';
/** Organization of the test bed. */
export const organizationId = 'E07STARSHIP';

const outsider = { userId: 'U09STRANGER', teamId: 'T09OUTSIDER' };
const mark = 'asked by an outsider';
const whole = { enterprise_id: organizationId, team_id: null, is_enterprise_install: true };

/**
 * Lets another company's people write to the app in a shared channel, and sends deliveries that name their workspace,
 * another organization or an organization as a workspace. All of it must have no effect.
 */
export function createOutsiders(workspace: LocalWorkspace, random: Random) {
  const acting: Promise<unknown>[] = [];
  const kinds = [mentions, repliesToRun, mentionsElsewhere, commands, gives] as const;
  let count = 0;

  const text = () => `<@${workspace.bot.userId}> ${mark}, ${count}`;
  const steve = () => workspace.as(outsider.userId);

  function mentions() {
    return steve().types(sharedChannel, text());
  }

  function repliesToRun() {
    const runs = markedMessages(workspace, 'slash_agent_run');
    const run = runs.find(({ channelId }) => channelId === sharedChannel);
    return steve().types(sharedChannel, text(), { threadTs: run?.ts });
  }

  const event = (content: object, more: object) =>
    workspace.deliver({
      kind: 'events_api',
      payload: {
        type: 'event_callback',
        event_id: `EvOUTSIDE${count}`,
        team_id: outsider.teamId,
        authorizations: [whole],
        event: content,
        ...more,
      },
    });

  function mentionsElsewhere() {
    const ts = `${Math.floor(Date.now() / 1_000)}.000100`;
    const mention = { type: 'app_mention', channel: 'C09ELSEWHER', ts, event_ts: ts, text: text() };
    return event({ ...mention, user: outsider.userId }, { is_ext_shared_channel: true });
  }

  function commands() {
    return workspace.deliver({
      kind: 'slash_commands',
      payload: {
        command: '/agent',
        text: `run ${mark}, ${count}`,
        team_id: random.pick([outsider.teamId, organizationId]),
        enterprise_id: organizationId,
        is_enterprise_install: 'true',
        user_id: outsider.userId,
        channel_id: sharedChannel,
        trigger_id: `outside.${count}`,
        response_url: `${workspace.url}/nowhere`,
      },
    });
  }

  /** Grants access from another organization, or to a workspace that isn't one. */
  function gives() {
    const [enterpriseId, ...teamIds] = random.pick([
      ['E09OTHERS01', outsider.teamId, 'E09OTHERS01'],
      [organizationId, organizationId, 'not a workspace'],
    ] as const);
    return event(
      { type: 'team_access_granted', team_ids: teamIds },
      { team_id: undefined, authorizations: undefined, enterprise_id: enterpriseId },
    );
  }

  return {
    /** Lets outsiders act sometimes. Call it for each accepted request. */
    another(): void {
      if (!random.chance(0.5)) return;
      count += 1;
      acting.push(random.pick(kinds)());
    },
    done: () => Promise.all(acting),
    acts: () => count,
  };
}

/** Finds workspaces, requests, follow-ups and messages that outsiders caused. */
export async function findOutsiders(
  workspace: LocalWorkspace,
  { bot, service }: { bot: Db; service: ServiceDb },
): Promise<string[]> {
  const { id: home } = workspace.team;
  const rows = await bot.selectFrom('workspaces').select('team_id').execute();
  const requests = await bot
    .selectFrom('requests')
    .select(['id', 'team_id', 'creator_id'])
    .execute();
  const followUps = await service.selectFrom('service_run_followups').selectAll().execute();
  const posted = markedMessages(workspace, 'slash_agent_run');
  return [
    ...rows.filter(({ team_id: id }) => id !== home).map(({ team_id: id }) => `workspace ${id}`),
    ...requests
      .filter((each) => each.team_id !== home || each.creator_id === outsider.userId)
      .map(({ id }) => `request ${id}`),
    ...followUps.filter(({ message }) => message.includes(mark)).map(({ message }) => message),
    ...posted.filter(({ text }) => text.includes(mark)).map(({ ts }) => `message ${ts}`),
  ];
}
