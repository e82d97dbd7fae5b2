import type { WebClient } from '@slack/web-api';
import type { Logger } from 'base/logger';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { listPresets } from '../configuration/presets.ts';
import type { Rights } from '../people/rights.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import { choosePrompts } from './choose-prompts.ts';

type SuggesterDeps = {
  requests: Pick<Requests, 'recentPrompts'>;
  settings: Pick<Settings, 'list'>;
  rights: Pick<Rights, 'denyOpen' | 'denyPlace'>;
  logger: Logger;
};

/** Suggests prompts when someone opens the app's messages. Without suggestions, Slack shows those of the manifest. */
export function createPromptSuggester(deps: SuggesterDeps) {
  return async (client: WebClient, viewer: RunViewer, directChannelId: string) => {
    const { rights } = deps;
    const { teamId, userId } = viewer;
    const place = { teamId, userId, channelId: directChannelId };
    if ((await rights.denyOpen(viewer)) ?? (await rights.denyPlace(place))) return;
    const [recent, presets] = await Promise.all([
      deps.requests.recentPrompts(viewer),
      listPresets(deps.settings, { ...viewer, channelId: '' }),
    ]);
    const prompts = choosePrompts(recent, presets);
    if (prompts.length === 0) return;
    try {
      const suggested = { title: 'Start a run', prompts };
      await client.assistant.threads.setSuggestedPrompts({
        channel_id: directChannelId,
        ...suggested,
      });
    } catch (error) {
      // Ignore a failure, because suggestions are optional and the workspace may have no agent apps.
      const { reason } = readSlackFailure(error);
      deps.logger.debug({ reason }, 'no prompts suggested');
    }
  };
}
