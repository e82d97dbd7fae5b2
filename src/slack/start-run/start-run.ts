import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { RequestLookup } from '../../store/request-lookup.ts';
import { failureSentence } from '../failure.ts';
import { readDefaultLayers, resolveConfig } from '../run-defaults.ts';
import type { OpenForm } from '../run-start.ts';
import type { MarkSource } from '../source-message.ts';
import { registerFormSearches } from './form-searches.ts';
import { contextTicksOf, createFormOpener, type OpenFormParts, valuesOf } from './open-form.ts';
import {
  type FormContent,
  type FormView,
  formIds,
  readFormMetadata,
  readFormValues,
  renderStartRunForm,
} from './start-run-form.ts';
import { type SubmitParts, submitForm } from './submit-form.ts';

type StartRunParts = OpenFormParts &
  SubmitParts & { lookup: Pick<RequestLookup, 'recentConfigs'>; markSource: MarkSource };

/** The form that starts a run, wherever it was opened. */
export function registerStartRun(app: App, parts: StartRunParts): { openForm: OpenForm } {
  registerFormSearches(app, parts);

  app.action({ type: 'block_actions', action_id: formIds.more }, async ({ ack, body, client }) => {
    await ack();
    if (!body.view) return;
    const view = renderStartRunForm(await unfold(parts, body.view, body.user.id));
    // With the hash a second click on an older form changes nothing.
    await client.views.update({ view_id: body.view.id, hash: body.view.hash, view });
  });

  // A picker in an input block may still tell of what was picked.
  app.action(/^start-run:(environment|model|skill|preset)$/, ({ ack }) => ack());

  app.view(formIds.view, async ({ ack, body, view }) => {
    const teamId = body.team?.id ?? body.user.team_id ?? '';
    try {
      const submitted = await submitForm(parts, view, { teamId, userId: body.user.id });
      if ('errors' in submitted) {
        await ack({ response_action: 'errors', errors: submitted.errors });
        return;
      }
      await ack();
      await parts.markSource(submitted.origin);
    } catch (error) {
      // The form stays open with everything that was typed.
      await ack({ response_action: 'errors', errors: { prompt: failureSentence('unexpected') } });
      throw error;
    }
  });

  return { openForm: createFormOpener(parts) };
}

const noticeSchema = z.object({
  type: z.literal('context'),
  elements: z.tuple([z.object({ text: z.string() })]),
});

/** The same form, with everything that stands in it, and the long tail with its defaults. */
async function unfold(
  { drafts, settings }: StartRunParts,
  view: FormView & { blocks: unknown[]; team_id: string },
  userId: string,
): Promise<FormContent> {
  const metadata = { ...readFormMetadata(view), isWhole: true };
  const asker = { teamId: view.team_id, channelId: metadata.channelId, userId };
  const { config } = resolveConfig(await readDefaultLayers(settings, asker));
  const draft = metadata.draftId ? await drafts.read(metadata.draftId) : undefined;
  const notices = view.blocks.flatMap((block) => {
    const { data } = noticeSchema.safeParse(block);
    return data ? [data.elements[0].text] : [];
  });
  return {
    metadata,
    values: { ...valuesOf(config), ...readFormValues(view) },
    notices,
    ...(draft && { contextTicks: contextTicksOf(draft) }),
  };
}
