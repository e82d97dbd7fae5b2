import type { Logger } from 'base/logger';
import { Loop } from 'base/time/loop';
import type { RequestOrigin } from '../../requests/origin.ts';
import type { Drafts } from '../../store/people/drafts.ts';
import type { Settings } from '../../store/people/settings.ts';
import { configValues } from '../configuration/config-inputs.ts';
import { type FormSearchDeps, searchForm } from '../configuration/form-search.ts';
import { readDefaultLayers, resolveConfig } from '../configuration/run-defaults.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { Afterwards } from '../connection/running-work.ts';
import { answerView } from '../posting/answer-privately.ts';
import type { SendPrivately } from '../posting/post-privately.ts';
import { isDirect } from '../posting/post-privately.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { MarkSource } from '../posting/source-message.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import { readFormNames, readFormValue } from '../text/form-inputs.ts';
import { redrawForm } from './open-form.ts';
import { type FormView, readFormMetadata, readFormValues } from './read-form.ts';
import { type FormContent, formIds } from './start-run-form.ts';
import type { SubmitForm } from './submit-form.ts';

/** Registers *More options*, *Start* and *Close* of the form. */
export function registerStartRun(
  app: Listeners,
  deps: {
    drafts: Drafts;
    settings: Settings;
    submitForm: SubmitForm;
    markSource: MarkSource;
    sendPrivately: SendPrivately;
    afterwards: Afterwards;
  },
): void {
  const { drafts, settings, submitForm, markSource, sendPrivately, afterwards } = deps;
  onOpeningClick(app, formIds.more, async ({ body, client, viewer }) => {
    if (!body.view) return;
    await redrawForm(drafts, client, body.view, await expand(body.view, viewer));
  });

  // Acknowledge actions of pickers and do nothing else. Slack can send one even for a picker in an input block.
  app.action(/^start-run:(environment|model|skill|preset)$/, ({ ack }) => ack());

  app.view(formIds.view, async ({ ack, body, view, client, context }) => {
    const teamId = context.teamId ?? '';
    const submitted = await submitForm(view, { teamId, userId: body.user.id });
    if ('errors' in submitted) {
      await ack({ response_action: 'errors', errors: submitted.errors });
      return;
    }
    const { draftId, origin, busyText: text, channelId: channel, canPost } = submitted;
    // Show the text in the modal if the app can't post in this channel.
    const isShownHere = text !== undefined && !canPost;
    await ack(isShownHere ? { response_action: 'update', view: answerView(text) } : undefined);
    cleanUp(draftId, origin);
    if (!text || isShownHere) return;
    afterwards(async () => {
      const answer = { channel, user: body.user.id, text };
      if (isDirect(channel)) return sendPrivately(answer, { what: 'form' });
      // Ignore a failure, because Slack rejects this text for people outside the channel.
      await client.chat.postEphemeral(answer).catch(readSlackFailure);
    });
  });

  app.view_closed(formIds.view, async ({ ack, view }) => {
    await ack();
    await drafts.remove(readFormMetadata(view).draftId);
  });

  /**
   * Deletes the draft and marks the source message after the response to Slack. Keeps only the ID and the origin in
   * memory until then.
   */
  const cleanUp = (draftId: string, origin: RequestOrigin) =>
    afterwards(async () => {
      await drafts.remove(draftId);
      await markSource(origin);
    });

  /** Returns the form after *More options*, with typed values, and defaults in the added fields. */
  async function expand(
    view: FormView,
    viewer: { teamId: string; userId: string },
  ): Promise<FormContent> {
    const before = readFormMetadata(view);
    await drafts.markExpanded(before.draftId);
    const asker = { ...viewer, channelId: before.channelId };
    const { config, fields } = resolveConfig(await readDefaultLayers(settings, asker));
    const metadata = { ...before, isExpanded: true, serversFrom: fields['mcp_servers'] };
    const values = { ...configValues(config), ...readFormValues(view) };
    return { metadata, values, names: readFormNames(view.state) };
  }
}

/** Answers searches in the form's pickers. */
export function registerFormSearches(app: Listeners, deps: FormSearchDeps): void {
  app.options(
    /^start-run:(environment|model|skill|preset)$/,
    async ({ ack, options, body, context }) => {
      const view = 'view' in body ? body.view : undefined;
      const asker = {
        teamId: context.teamId ?? '',
        userId: body.user.id,
        channelId: view ? readFormMetadata(view).channelId : '',
        connection: view && readFormValues(view).connection,
      };
      const channelId = (view && readFormValue(view.state, 'channel')) || asker.channelId;
      const { action_id: actionId, value: query } = options;
      await ack(await searchForm(deps, asker, { actionId, query, channelId }));
    },
  );
}

const cleaningIntervalMs = 5 * 60_000;

/** Deletes drafts after an hour, because Slack doesn't report every closed form. */
export const createDraftCleaner = ({ drafts, logger }: { drafts: Drafts; logger: Logger }): Loop =>
  new Loop(async () => {
    try {
      await drafts.removeOld(Date.now());
    } catch (error) {
      logger.error({ err: error }, 'old drafts not deleted; trying again');
    }
    return cleaningIntervalMs;
  });
