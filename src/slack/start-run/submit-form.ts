import type { WebClient } from '@slack/web-api';
import { countMasks } from 'base/secrets/mask-secrets';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { ownAuthority } from '../../requests/authority.ts';
import type { RequestOrigin } from '../../requests/origin.ts';
import type { Draft, Drafts } from '../../store/people/drafts.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import { type ReadChoices, takeOver } from '../configuration/keyed-servers.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { findEnvironmentError } from '../configuration/run-connections.ts';
import { configFields, defaultLayers, defaultsKey } from '../configuration/run-defaults.ts';
import { findPresetError, savePreset } from '../configuration/save-preset.ts';
import type { People } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import type { CheckPosting } from '../posting/channel-checks.ts';
import { isPublicChannel } from '../posting/channel-checks.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { ReadMessageLink, ReadPermalink } from '../posting/source-message.ts';
import { busyChannelText, type StartRun } from '../runs/acting/run-start.ts';
import { linkEarlierRun } from '../runs/showing/earlier-run.ts';
import { type FormAnswers, type FormView, originOf, readStartRunForm } from './read-form.ts';
import { resolveAnswers } from './resolve-answers.ts';

export type SubmitParts = {
  requests: Pick<Requests, 'find'>;
  settings: Pick<Settings, 'read' | 'write'> & ReadChoices;
  client: Pick<WebClient, 'conversations'>;
  drafts: Pick<Drafts, 'readSubmission'>;
  connections: Pick<RunConnections, 'catalogFor'>;
  people: Pick<People, 'look'>;
  promptRights: Pick<Rights, 'refusePreset'>;
  startRun: StartRun;
  checkPosting: CheckPosting;
  readPermalink: ReadPermalink;
  readMessageLink: ReadMessageLink;
  ackWaitMs: number;
};

/** What was accepted, or an error for each invalid field. */
export type Submitted =
  | {
      origin: RequestOrigin;
      channelId: string;
      draftId: string;
      /** For the person, if the run message takes a while. */
      busyText: string | undefined;
      canPost: boolean;
    }
  | { errors: Record<string, string> };

/** Accepts a request from the form, or returns all errors at once. */
export async function submitForm(
  parts: SubmitParts,
  view: FormView & { id: string },
  person: { teamId: string; userId: string },
): Promise<Submitted> {
  const { answers, errors } = readStartRunForm(view);
  const { metadata, channelId, save } = answers;
  const asker = { ...person, channelId: metadata.channelId };
  const { again } = metadata.origin;
  // In parallel: each can wait for the database.
  const [{ draft, layers }, before] = await Promise.all([
    parts.drafts.readSubmission({ ...asker, draftId: metadata.draftId, key: defaultsKey }),
    again?.requestId ? parts.requests.find(again.requestId) : undefined,
  ]);
  const taken = before && (await takeOver(parts.settings, asker, before));
  const earlier = draft?.repeats?.config ?? taken?.config;
  const known = { defaults: defaultLayers(layers), earlier };
  const { resolved, lostErrors } = await resolveAnswers(parts, asker, answers, known);
  const isInvalid = configFields.some((field) => field in errors);
  const { prompt, context, contextSize, files } = promptOf(answers, draft);
  // Slack can deliver a submission more than once.
  const id = `${person.teamId}-${view.id}`;
  const [channelError, source, environmentError, presetError, contextError, leakError, linked] =
    await Promise.all([
      parts.checkPosting(channelId),
      readSource(parts, metadata.origin.source, draft?.permalink),
      resolved && findEnvironmentError(parts, asker, resolved.config),
      save &&
        findPresetError(parts, asker, {
          ...save,
          config: isInvalid ? undefined : resolved?.config,
        }),
      findContextError(parts, id, answers, draft),
      context || files.length > 0 ? findLeak(parts, answers) : undefined,
      again && linkEarlierRun(parts.readMessageLink, again, before, channelId),
      // Fills the cache for the permission check.
      withSoftTimeout(parts.people.look([person.userId]), parts.ackWaitMs),
    ]);
  const allErrors = {
    ...errors,
    ...(channelError && { channel: channelError }),
    ...(environmentError && { environment_id: environmentError }),
    ...(presetError && { save_as: presetError }),
    ...contextError,
    ...leakError,
    ...lostErrors,
  };
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
  const outcome = await parts.startRun({
    id,
    teamId: person.teamId,
    authority: ownAuthority(person.userId),
    channelId,
    title: answers.title,
    prompt,
    context,
    config,
    origin,
    lookupWaitMs: 0,
  });
  if (outcome.outcome === 'refused') {
    const { field = 'prompt', sentence } = outcome;
    // Fields that aren't shown can't have errors.
    return { errors: { [field in view.state.values ? field : 'prompt']: sentence } };
  }
  // Afterwards: a refused form is submitted again with other values, and its preset would have the name already.
  if (save) await savePreset(parts, asker, { name: save.name, scope: save.scope, config });
  const { draftId } = metadata;
  const canPost = outcome.outcome !== 'accepted' || outcome.canPost;
  return { origin, channelId, draftId, busyText: busyChannelText(outcome), canPost };
}

/** The draft has the thread and the rest of the prompt: they may not be there yet, or not any more. */
async function findContextError(
  { requests }: Pick<SubmitParts, 'requests'>,
  id: string,
  { checked, isContextShown }: FormAnswers,
  draft: Draft | undefined,
): Promise<Record<string, string>> {
  if (draft) {
    const isRead = draft.context !== '' && isContextShown;
    return draft.isWanted && !isRead ? { prompt: stillReading } : {};
  }
  const isChecked = (box: string) => checked.includes(box);
  if (!['rest', 'thread', 'files'].some(isChecked)) return {};
  // A repeated delivery: the request has everything.
  if (await requests.find(id)) return {};
  return {
    ...(isChecked('rest') && { rest: tooOld }),
    ...(isChecked('thread') && { context: tooOld }),
    ...(isChecked('files') && { files: tooOld }),
  };
}

/** A thread and files are shown to the agent of a run that other people read, so private ones stay where they are. */
async function findLeak(
  { client, ackWaitMs }: Pick<SubmitParts, 'client' | 'ackWaitMs'>,
  { metadata, channelId, checked }: FormAnswers,
): Promise<Record<string, string>> {
  const { sourceId = metadata.channelId } = metadata;
  // Only this person reads a direct message with the app.
  if (!sourceId || channelId === sourceId || channelId.startsWith('D')) return {};
  if (await isPublic()) return {};
  return {
    ...(checked.includes('thread') && { context: privateSource }),
    ...(checked.includes('files') && { files: privateSource }),
  };

  async function isPublic(): Promise<boolean> {
    try {
      return (await withSoftTimeout(isPublicChannel(client, sourceId), ackWaitMs)) === true;
    } catch (error) {
      readSlackFailure(error);
      return false;
    }
  }
}

const privateSource =
  'This is from a private conversation, and other people read that channel. Clear this box or keep the channel.';

const stillReading =
  "The thread is still loading. Press Start again in a few seconds. If that doesn't help, open the form again.";
const tooOld =
  'This form has been open for more than an hour, so this is gone. Copy what you typed and open the form again, or clear this box.';

/** The source with its permalink, even if the form is submitted before that is known. */
async function readSource(
  { readPermalink, ackWaitMs }: SubmitParts,
  source: RequestOrigin['source'],
  known: string | undefined,
): Promise<RequestOrigin['source']> {
  if (!source) return undefined;
  const permalink = known ?? (await withSoftTimeout(readPermalink(source), ackWaitMs));
  return { ...source, ...(permalink && { permalink }) };
}

/** The prompt, the thread that is sent after it, and what the request records about the thread. */
function promptOf({ checked, prompt: written }: FormAnswers, draft: Draft | undefined) {
  const prompt = written + (checked.includes('rest') ? (draft?.rest ?? '') : '');
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
