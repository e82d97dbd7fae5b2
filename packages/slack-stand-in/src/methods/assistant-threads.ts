import { z } from 'zod';
import type { Changes } from '../lib/changes.ts';
import type { AppManifest } from '../manifest.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { channelForApp } from '../world/reach.ts';
import type { World } from '../world/world.ts';

type Parts = { world: World; manifest: AppManifest; changes: Changes };

const promptsSchema = z
  .array(z.strictObject({ title: z.string().min(1), message: z.string().min(1) }))
  .min(1)
  .max(4);

/** What the app suggests to write to it. Slack ignores calls with a thread for agent apps; they're refused here. */
export function createAssistantMethods({ world, manifest, changes }: Parts): Method[] {
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
