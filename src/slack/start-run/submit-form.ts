import { countMasks } from 'base/secrets/mask-secrets';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { ownAuthority } from '../../requests/authority.ts';
import type { RequestOrigin } from '../../requests/origin.ts';
import type { Draft, Drafts } from '../../store/people/drafts.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { takeOver } from '../configuration/keyed-servers.ts';
import { configFields, defaultLayers, defaultsKey } from '../configuration/run-defaults.ts';
import { savePreset } from '../configuration/save-preset.ts';
import type { ReadMessageLink, ReadPermalink } from '../posting/source-message.ts';
import { busyChannelText, type StartRun } from '../runs/acting/run-start.ts';
import { linkEarlierRun } from '../runs/showing/earlier-run.ts';
import type { CheckForm } from './check-form.ts';
import { type FormAnswers, type FormView, originOf, readStartRunForm } from './read-form.ts';
import { resolveAnswers } from './resolve-answers.ts';

type Deps = {
  drafts: Pick<Drafts, 'readSubmission'>;
  requests: Pick<Requests, 'find'>;
  settings: Pick<Settings, 'readLayers' | 'list' | 'write'>;
  startRun: StartRun;
  readPermalink: ReadPermalink;
  readMessageLink: ReadMessageLink;
  checkForm: CheckForm;
  ackWaitMs: number;
};

/** Facts about an accepted request, or an error for each invalid field. */
type Submitted =
  | {
      origin: RequestOrigin;
      channelId: string;
      draftId: string;
      /** Text to show the person if the run message will take a while. */
      busyText: string | undefined;
      canPost: boolean;
    }
  | { errors: Record<string, string> };

export type SubmitForm = (
  view: FormView & { id: string },
  person: { teamId: string; userId: string },
) => Promise<Submitted>;

/** Accepts a request from the form, or returns all errors at once. */
export function createFormSubmission(deps: Deps): SubmitForm {
  const {
    drafts,
    requests,
    settings,
    startRun,
    readPermalink,
    readMessageLink,
    checkForm,
    ackWaitMs,
  } = deps;
  return async (view, { teamId, userId }) => {
    const { answers, errors } = readStartRunForm(view);
    const { metadata, channelId, save } = answers;
    const { draftId } = metadata;
    const asker = { teamId, userId, channelId: metadata.channelId };
    const { again } = metadata.origin;
    // Read the draft and the earlier request in parallel, because each call waits for the database.
    const [{ draft, layers }, before] = await Promise.all([
      drafts.readSubmission({ ...asker, draftId, key: defaultsKey }),
      again?.requestId ? requests.find(again.requestId) : undefined,
    ]);
    const taken = before && (await takeOver(settings, asker, before));
    const earlier = draft?.repeats?.config ?? taken?.config;
    const configs = { defaults: defaultLayers(layers), earlier };
    const { resolved, lostErrors } = await resolveAnswers(settings, asker, answers, configs);
    const { prompt, context, contextSize, files } = promptOf(answers, draft);
    // Use the view's ID, because Slack can deliver a submission more than once.
    const id = `${teamId}-${view.id}`;
    const [formErrors, source, linked] = await Promise.all([
      checkForm({
        id,
        asker,
        answers,
        draft,
        config: resolved?.config,
        isInvalid: configFields.some((field) => field in errors),
        sendsContext: context !== null || files.length > 0,
      }),
      readSource(metadata.origin.source, draft?.permalink),
      again && linkEarlierRun(readMessageLink, again, before, channelId),
    ]);
    const allErrors = { ...errors, ...formErrors, ...lostErrors };
    if (!resolved || Object.keys(allErrors).length > 0) return { errors: allErrors };
    const { config, fields } = resolved;
    const origin = {
      ...originOf(answers),
      ...(source && { source }),
      fields,
      ...(contextSize && { context: contextSize }),
      ...(files.length > 0 && { files }),
      ...(linked && { again: linked }),
    };
    const authority = ownAuthority(userId);
    const start = { id, teamId, authority, channelId, title: answers.title, prompt, context };
    const outcome = await startRun({ ...start, config, origin, lookupWaitMs: 0 });
    if (outcome.outcome === 'rejected') {
      const { field = 'prompt', sentence } = outcome;
      // Show the error at the prompt if the form lacks the field, because Slack shows errors only at fields.
      return { errors: { [field in view.state.values ? field : 'prompt']: sentence } };
    }
    // Save the preset last. If the run is rejected, the form is submitted again, and the preset's name must still be
    // free.
    if (save) await savePreset({ settings }, asker, { name: save.name, scope: save.scope, config });
    const canPost = outcome.outcome !== 'accepted' || outcome.canPost;
    return { origin, channelId, draftId, busyText: busyChannelText(outcome), canPost };
  };

  /**
   * Returns the source message with its permalink. Asks Slack again if the form was submitted before the link arrived.
   */
  async function readSource(
    source: RequestOrigin['source'],
    stored: string | undefined,
  ): Promise<RequestOrigin['source']> {
    if (!source) return undefined;
    const permalink = stored ?? (await withSoftTimeout(readPermalink(source), ackWaitMs));
    return { ...source, ...(permalink && { permalink }) };
  }
}

/** Returns the prompt, the thread to send after it, its size, and all files. */
function promptOf({ checked, prompt: typed }: FormAnswers, draft: Draft | undefined) {
  const prompt = typed + (checked.includes('rest') ? (draft?.rest ?? '') : '');
  const thread = checked.includes('thread') ? draft : undefined;
  const { context = '', messages = 0, left = 0, threadFiles = [] } = thread ?? {};
  const own = checked.includes('files') ? (draft?.files ?? []) : [];
  const masked = countMasks(`${prompt}\n${context}`);
  const contextSize = { messages, left, characters: [...context].length, masked };
  return {
    prompt,
    context: context || null,
    contextSize: context || masked > 0 ? contextSize : undefined,
    files: [...own, ...threadFiles],
  };
}
