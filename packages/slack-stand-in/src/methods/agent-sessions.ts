import { z } from 'zod';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { type AgentSessions, sessionStatuses } from '../world/agent-sessions.ts';
import { channelForApp } from '../world/reach.ts';
import type { World } from '../world/world.ts';

type Parts = { world: World; sessions: AgentSessions };

const unheardStop = 'missing_agent_session_stopped_event_subscription';

/** Only sessions in threads: there are no session channels here. */
export function createSessionMethods({ world, sessions }: Parts): Method[] {
  return [
    defineMethod({
      name: 'agents.sessions.setStatus',
      tier: 3,
      scopes: ['chat:write'],
      errors: ['channel_not_found', 'not_authorized', 'thread_ts_required', 'user_not_found'],
      args: {
        channel_id: argument.id,
        status: z.enum(sessionStatuses),
        thread_ts: argument.text.optional(),
        title: argument.text.optional(),
        initiator_user_id: argument.id.optional(),
      },
      wrong: { status: 'invalid_status' },
      run: (args, { installation }) => {
        const channel = channelForApp(world, installation, args.channel_id);
        if (!args.thread_ts) throw new ApiError('thread_ts_required');
        const { status, title } = sessions.setStatus(installation, channel, {
          status: args.status,
          threadTs: args.thread_ts,
          title: args.title,
          initiatorId: args.initiator_user_id,
        });
        const answer = { status, agent_status: status, title };
        return sessions.canBeStopped
          ? answer
          : { ...answer, warning: unheardStop, response_metadata: { warnings: [unheardStop] } };
      },
    }),
  ];
}
