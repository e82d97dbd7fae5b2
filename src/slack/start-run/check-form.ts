import type { WebClient } from '@slack/web-api';
import { withSoftTimeout } from 'base/time/soft-timeout';
import type { AgentConfig } from 'runs-client/contract';
import type { Draft } from '../../store/people/drafts.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { Requests } from '../../store/requests/requests.ts';
import type { RunConnections } from '../configuration/run-connections.ts';
import { findEnvironmentError } from '../configuration/run-connections.ts';
import { findPresetError } from '../configuration/save-preset.ts';
import type { People } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import type { CheckPosting } from '../posting/channel-checks.ts';
import { isPublicChannel } from '../posting/channel-checks.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { FormAnswers } from './read-form.ts';

type Errors = Record<string, string>;

type Deps = {
  requests: Pick<Requests, 'find'>;
  settings: Pick<Settings, 'list' | 'write'>;
  client: Pick<WebClient, 'conversations'>;
  connections: Pick<RunConnections, 'catalogFor'>;
  people: Pick<People, 'look'>;
  promptRights: Pick<Rights, 'denyPreset'>;
  checkPosting: CheckPosting;
  ackWaitMs: number;
};

type Submission = {
  /** ID of the request that this submission creates. */
  id: string;
  asker: Asker;
  answers: FormAnswers;
  draft: Draft | undefined;
  /** Configuration of the run. Undefined if one of its values is no longer stored. */
  config: AgentConfig | undefined;
  /** True if a field of the configuration is invalid. */
  isInvalid: boolean;
  /** True if the thread or files are sent with the prompt. */
  sendsContext: boolean;
};

export type CheckForm = (submission: Submission) => Promise<Errors>;

/** Checks a form against the store, Slack and the runs service. Returns an error for each field that can't be accepted. */
export function createFormCheck(deps: Deps): CheckForm {
  const { requests, settings, client, connections, people, promptRights, checkPosting, ackWaitMs } =
    deps;
  return async ({ id, asker, answers, draft, config, isInvalid, sendsContext }) => {
    const { channelId, save } = answers;
    const saved = { config: isInvalid ? undefined : config };
    // Check everything in parallel, because Slack waits only three seconds.
    const [channel, environment, preset, contextErrors, leakErrors] = await Promise.all([
      checkPosting(channelId),
      config && findEnvironmentError({ connections, ackWaitMs }, asker, config),
      save && findPresetError({ settings, promptRights }, asker, { ...save, ...saved }),
      findContextErrors(id, answers, draft),
      sendsContext ? findLeaks(answers) : undefined,
      // Load the person in parallel, because the permission check that follows uses only what is loaded.
      withSoftTimeout(people.look([asker.userId]), ackWaitMs),
    ]);
    return {
      ...(channel && { channel }),
      ...(environment && { environment_id: environment }),
      ...(preset && { save_as: preset }),
      ...contextErrors,
      ...leakErrors,
    };
  };

  /** Returns errors for checked boxes whose content is missing, because it's still loading or the draft has expired. */
  async function findContextErrors(
    id: string,
    { checked, isContextShown }: FormAnswers,
    draft: Draft | undefined,
  ): Promise<Errors> {
    if (draft) {
      const isRead = draft.context !== '' && isContextShown;
      return draft.isWanted && !isRead ? { prompt: stillReading } : {};
    }
    const isChecked = (box: string) => checked.includes(box);
    if (!['rest', 'thread', 'files'].some(isChecked)) return {};
    // Skip the check for a repeated delivery. Its draft was deleted, but its request has the content.
    if (await requests.find(id)) return {};
    return {
      ...(isChecked('rest') && { rest: tooOld }),
      ...(isChecked('thread') && { context: tooOld }),
      ...(isChecked('files') && { files: tooOld }),
    };
  }

  /** Returns errors if a run in another channel would show a private thread or its files to the people there. */
  async function findLeaks({ metadata, channelId, checked }: FormAnswers): Promise<Errors> {
    const { sourceId = metadata.channelId } = metadata;
    // Skip the check for the thread's own channel, and for direct messages, which only this person can read.
    if (!sourceId || channelId === sourceId || channelId.startsWith('D')) return {};
    if (await isPublic(sourceId)) return {};
    return {
      ...(checked.includes('thread') && { context: privateSource }),
      ...(checked.includes('files') && { files: privateSource }),
    };
  }

  async function isPublic(channelId: string): Promise<boolean> {
    try {
      return (await withSoftTimeout(isPublicChannel(client, channelId), ackWaitMs)) === true;
    } catch (error) {
      readSlackFailure(error);
      return false;
    }
  }
}

const privateSource =
  'This is from a private conversation, and other people read that channel. Clear this box or keep the channel.';

const stillReading =
  "The thread is still loading. Select Start again in a few seconds. If that doesn't help, open the form again.";
const tooOld =
  'This form has been open for more than an hour, so this is gone. Copy what you typed and open the form again, or clear this box.';
