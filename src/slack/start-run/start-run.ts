import type { App } from '@slack/bolt';
import type { Requests } from '../../store/requests.ts';
import { failureSentence } from '../failure.ts';
import { helpText, parseAgentCommand } from './agent-command.ts';
import { readStartRunModal, renderStartRunModal, startRunView } from './start-run-modal.ts';

type StartRunParts = { requests: Pick<Requests, 'accept'>; wake(): void };

/** `/agent` and its modal: from a command to an accepted request. */
export function registerStartRun(app: App, { requests, wake }: StartRunParts): void {
  app.command('/agent', async ({ command, ack, client }) => {
    const asked = parseAgentCommand(command.text ?? '');
    if (asked.kind === 'help') {
      await ack({ response_type: 'ephemeral', text: helpText });
      return;
    }
    await ack();
    const view = renderStartRunModal({ channelId: command.channel_id }, asked.prompt);
    await client.views.open({ trigger_id: command.trigger_id, view });
  });

  app.view(startRunView, async ({ ack, body, view }) => {
    const read = readStartRunModal(view);
    if (!read.ok) {
      await ack({ response_action: 'errors', errors: read.errors });
      return;
    }
    const teamId = body.team?.id ?? body.user.team_id ?? '';
    try {
      await requests.accept({
        // A modal is submitted once, however often Slack delivers it.
        id: `${teamId}-${view.id}`,
        teamId,
        creatorId: body.user.id,
        channelId: read.origin.channelId,
        ...read.answers,
        acceptedAt: Date.now(),
      });
    } catch (error) {
      // The modal stays open with everything that was typed.
      await ack({ response_action: 'errors', errors: { prompt: failureSentence('unexpected') } });
      throw error;
    }
    await ack();
    wake();
  });
}
