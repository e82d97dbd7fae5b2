import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/settings.ts';
import { failureSentence } from '../failure.ts';
import { type Asker, readDefaultLayers, resolveConfig } from '../run-defaults.ts';
import type { RunDraft, StartRun } from '../run-start.ts';
import { readStartRunModal, renderStartRunModal, startRunView } from './start-run-modal.ts';

type StartRunParts = { settings: Pick<Settings, 'read'>; startRun: StartRun };

/** The form that starts a run, wherever it was opened: from its fields to an accepted request. */
export function registerStartRun(app: App, { settings, startRun }: StartRunParts) {
  app.view(startRunView, async ({ ack, body, view }) => {
    const read = readStartRunModal(view);
    if (!read.ok) {
      await ack({ response_action: 'errors', errors: read.errors });
      return;
    }
    const { metadata, answers } = read;
    const teamId = body.team?.id ?? body.user.team_id ?? '';
    try {
      const outcome = await startRun({
        // A modal is submitted once, however often Slack delivers it.
        id: `${teamId}-${view.id}`,
        teamId,
        creatorId: body.user.id,
        channelId: metadata.channelId,
        ...answers,
        origin: metadata.origin,
      });
      if (outcome.outcome === 'refused') {
        await ack({ response_action: 'errors', errors: { prompt: outcome.sentence } });
        return;
      }
    } catch (error) {
      // The modal stays open with everything that was typed.
      await ack({ response_action: 'errors', errors: { prompt: failureSentence('unexpected') } });
      throw error;
    }
    await ack();
  });

  return {
    async openForm(
      client: WebClient,
      { triggerId, asker }: { triggerId: string; asker: Asker },
      draft: RunDraft,
    ): Promise<void> {
      const layers = await readDefaultLayers(settings, asker);
      const { config } = resolveConfig([...layers, { origin: 'typed', config: draft.typed }]);
      const view = renderStartRunModal(draft, config);
      await client.views.open({ trigger_id: triggerId, view });
    },
  };
}
