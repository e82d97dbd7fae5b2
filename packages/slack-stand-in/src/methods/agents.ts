import { z } from 'zod';
import type { Changes } from '../lib/changes.ts';
import type { AppManifest } from '../manifest.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { type AgentSessions, sessionStatuses } from '../world/agent-sessions.ts';
import { channelForApp } from '../world/directory.ts';
import type { World } from '../world/world.ts';

const unheardStop = 'missing_agent_session_stopped_event_subscription';

/**
 * Creates the methods for agent sessions. Only sessions in threads are supported, because the stand-in has no session
 * channels.
 */
export function createSessionMethods({
  world,
  sessions,
}: {
  world: World;
  sessions: AgentSessions;
}): Method[] {
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

const promptsSchema = z
  .array(z.strictObject({ title: z.string().min(1), message: z.string().min(1) }))
  .min(1)
  .max(4);

/**
 * Creates the methods for suggested prompts. Slack ignores an agent app's calls with a thread. The stand-in rejects
 * such calls.
 */
export function createAssistantMethods({
  world,
  manifest,
  changes,
}: {
  world: World;
  manifest: AppManifest;
  changes: Changes;
}): Method[] {
  return [
    defineMethod({
      name: 'assistant.threads.setSuggestedPrompts',
      tier: 4,
      scopes: ['assistant:write'],
      errors: ['channel_not_found', 'invalid_thread_ts', 'not_agent_app'],
      args: {
        channel_id: argument.id,
        prompts: argument.objects.pipe(promptsSchema),
        title: argument.text.optional(),
        thread_ts: argument.text.optional(),
      },
      run: ({ channel_id: id, prompts, title = '', thread_ts: threadTs }, { installation }) => {
        if (!manifest.features.agent_view) throw new ApiError('not_agent_app');
        if (threadTs !== undefined) throw new ApiError('invalid_thread_ts');
        const channel = channelForApp(world, installation, id);
        if (channel.kind !== 'im') throw new ApiError('channel_not_found');
        const below = world.messages[id]?.at(-1)?.ts ?? '';
        world.suggestions[id] = { title, prompts, below };
        changes.emit({ type: 'channel', channelId: id });
        return {};
      },
    }),
  ];
}
