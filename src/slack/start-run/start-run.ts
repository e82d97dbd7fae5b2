import type { RequestOrigin } from '../../requests/origin.ts';
import { configValues } from '../configuration/config-inputs.ts';
import { readDefaultLayers, resolveConfig } from '../configuration/run-defaults.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Afterwards } from '../connection/running-work.ts';
import { answerView } from '../posting/answer-privately.ts';
import type { SendPrivately } from '../posting/post-privately.ts';
import { isDirect } from '../posting/post-privately.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { MarkSource } from '../posting/source-message.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import type { OpenForm } from '../runs/acting/run-start.ts';
import { redrawForm } from './draw-form.ts';
import { type FormContent, formIds } from './form-content.ts';
import { registerFormSearches, type SearchParts } from './form-searches.ts';
import { createFormOpener, type OpenFormParts } from './open-form.ts';
import { type FormView, readFormMetadata, readFormNames, readFormValues } from './read-form.ts';
import { type SubmitParts, submitForm } from './submit-form.ts';

type StartRunParts = OpenFormParts &
  SubmitParts &
  SearchParts & {
    markSource: MarkSource;
    sendPrivately: SendPrivately;
    afterwards: Afterwards;
  };

export function registerStartRun(app: Listeners, parts: StartRunParts): { openForm: OpenForm } {
  registerFormSearches(app, parts);

  onOpeningClick(app, formIds.more, async ({ body, client, viewer }) => {
    if (!body.view) return;
    const content = await expand(parts, body.view, viewer);
    await redrawForm(parts.drafts, client, body.view, content);
  });

  // Slack can still send an action for a picker in an input block.
  app.action(/^start-run:(environment|model|skill|preset)$/, ({ ack }) => ack());

  app.view(formIds.view, async ({ ack, body, view, client, context }) => {
    const teamId = context.teamId ?? '';
    const submitted = await submitForm(parts, view, { teamId, userId: body.user.id });
    if ('errors' in submitted) {
      await ack({ response_action: 'errors', errors: submitted.errors });
      return;
    }
    const { draftId, origin, busyText: text, channelId: channel, canPost } = submitted;
    // The form can show what no message can.
    const isShownHere = text !== undefined && !canPost;
    await ack(isShownHere ? { response_action: 'update', view: answerView(text) } : undefined);
    cleanUp(parts, draftId, origin);
    if (!text || isShownHere) return;
    parts.afterwards(async () => {
      const answer = { channel, user: body.user.id, text };
      if (isDirect(channel)) return parts.sendPrivately(answer, { what: 'form' });
      // Fails for people who aren't in that channel.
      await client.chat.postEphemeral(answer).catch(readSlackFailure);
    });
  });

  app.view_closed(formIds.view, async ({ ack, view }) => {
    await ack();
    await parts.drafts.remove(readFormMetadata(view).draftId);
  });

  return { openForm: createFormOpener(parts) };
}

/** Takes only what it needs, because it can wait a while in memory. */
function cleanUp(
  { afterwards, drafts, markSource }: StartRunParts,
  draftId: string,
  origin: RequestOrigin,
): void {
  afterwards(async () => {
    await drafts.remove(draftId);
    await markSource(origin);
  });
}

/** The same form with its values, and the other fields with their defaults. */
async function expand(
  { drafts, settings }: StartRunParts,
  view: FormView,
  viewer: { teamId: string; userId: string },
): Promise<FormContent> {
  const before = readFormMetadata(view);
  await drafts.markExpanded(before.draftId);
  const asker = { ...viewer, channelId: before.channelId };
  const { config, fields } = resolveConfig(await readDefaultLayers(settings, asker));
  const metadata = { ...before, isExpanded: true, serversFrom: fields['mcp_servers'] };
  const values = { ...configValues(config), ...readFormValues(view) };
  return { metadata, values, names: readFormNames(view) };
}
