import { maskSecrets } from 'base/secrets/mask-secrets';
import type { Inbox } from '../../inbox/inbox.ts';
import type { RunRequest } from '../../store/requests/request-row.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { chooseFiles, filesLeftNotice } from '../files/message-files.ts';
import type { ReadNames } from '../people/people.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import type { PostPrivately } from '../posting/post-privately.ts';
import type { ReadPermalink } from '../posting/source-message.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import type { AddedText, OpenAgain, OpenForm } from '../runs/acting/run-start.ts';
import type { ReadMessage, ThreadReader } from '../runs/reading/read-thread.ts';
import { readWords } from '../runs/reading/read-words.ts';
import type { RunAccess } from '../runs/reading/run-access.ts';
import { messageKey, messageKeys, threadKey } from '../runs/run-ref.ts';
import {
  type AgainMessage,
  againWithThisAction,
  readAgainMessage,
} from '../runs/showing/buttons/offer-again.ts';
import type { HandleMention, StoredMentions } from './handle-mention.ts';
import { readThreadMention, startFromThreadAction, threadPrompt } from './mention-answers.ts';
import { type Mention, mentionSchema, readEditedMention, readMention } from './read-mention.ts';

type MentionDeps = {
  teamId: string;
  inbox: Pick<Inbox, 'register'>;
  handleMention: HandleMention;
  /** Stores an event that is a reply to a run, and returns true. Returns false for other events. */
  takeReply(body: unknown): Promise<boolean>;
  postPrivately: PostPrivately;
  access: Pick<RunAccess, 'seeRequest'>;
  openForm: OpenForm;
  openAgain: OpenAgain;
  readThread: ThreadReader;
  readMessage: ReadMessage;
  readPermalink: ReadPermalink;
  readNames: ReadNames;
  botUserId(): string;
  botId(): string;
};

const keyOf = ({ message: { ts }, ...place }: Mention) => messageKey({ ...place, ts });

/** Registers listeners for mentions in channels and threads, and for direct messages. */
export function registerMention(app: Listeners, deps: MentionDeps): void {
  const mentions = deps.inbox.register('mention', {
    schema: mentionSchema,
    keys: messageKeys,
    handle: async (mention) => {
      if (mention.isWithdrawn) return 'done';
      const answer = await deps.handleMention(mention, { isCurrent, noteSent, isEarlierLeft });
      if (answer === 'edited') return { againAt: Date.now() };
      if (answer === 'later') return { againAt: Date.now() + 1_000 };
      if (answer && 'waitsFor' in answer) return answer;
      const { channelId, threadTs, userId, changedTs = '', message } = mention;
      const key = `${keyOf(mention)} ${changedTs}`;
      const to = { channelId, threadTs, ts: message.ts, userId };
      if (answer) await deps.postPrivately(key, { ...to, ...answer });
      return 'done';
    },
  });
  const isCurrent: StoredMentions['isCurrent'] = async (mention) => {
    const latest = await mentions.change(keyOf(mention), () => undefined);
    return latest?.changedTs === mention.changedTs;
  };
  const isEarlierLeft: StoredMentions['isEarlierLeft'] = async (mention) => {
    const { channelId, threadTs } = mention;
    if (!threadTs) return false;
    return mentions.hasEarlier(keyOf(mention), threadKey(channelId, threadTs));
  };
  const noteSent: StoredMentions['noteSent'] = async (mention, sentTo) => {
    const latest = await mentions.change(keyOf(mention), ({ sentTo: _, ...known }) =>
      known.changedTs === mention.changedTs ? { ...known, ...(sentTo && { sentTo }) } : undefined,
    );
    return latest?.changedTs === mention.changedTs;
  };

  /**
   * Replaces a stored mention with its edit, unless the mention was already sent. Returns false if the mention was
   * handled or isn't stored yet.
   */
  async function edit({ message, isWithdrawn, changedTs, ...edited }: Mention): Promise<boolean> {
    const known = await mentions.change(keyOf({ ...edited, message }), (mention) => {
      const isTooLate = mention.sentTo || (mention.changedTs ?? '') > (changedTs ?? '');
      return isTooLate ? undefined : { ...mention, message, isWithdrawn, changedTs };
    });
    return known !== undefined;
  }

  app.takeEvents(['app_mention', 'message'], async (body) => {
    const edited = readEditedMention(body, deps.botUserId());
    if (edited && (await edit(edited))) return;
    if (await deps.takeReply(body)) return;
    const mention = edited ?? readMention(body, deps.botUserId());
    if (!mention) return;
    const isNew = await mentions.add(keyOf(mention), { ...mention, teamId: deps.teamId });
    // Edit the mention again if it was stored meanwhile. A mention can arrive after its edit, or at the same time.
    if (edited && !isNew) await edit(edited);
  });

  onOpeningClick(app, startFromThreadAction, async ({ value, body, client, viewer }) => {
    const place = readThreadMention(value);
    if (!place) return;
    const { channelId, threadTs, ts } = place;
    const to = { triggerId: body.trigger_id, asker: { ...viewer, channelId } };
    const origin = { kind: 'mention' as const, threadTs, source: { channelId, ts } };
    const draft = { channelId, prompt: threadPrompt, typed: {}, origin, needsThread: true };
    await deps.openForm(client, to, draft, async () => {
      const [thread, permalink] = await Promise.all([
        deps.readThread({ channelId, userId: viewer.userId, threadTs, except: ts }),
        deps.readPermalink({ channelId, ts }),
      ]);
      if (!('closed' in thread)) {
        const chosen = chooseFiles(thread.withFiles);
        const notices = filesLeftNotice(chosen);
        return { ...thread, files: chosen.files, permalink, notices, isWanted: true };
      }
      const notices = [`⚠️ ${thread.closed}`];
      return { context: '', messages: 0, permalink, notices };
    });
  });

  onOpeningClick(app, againWithThisAction, async (click) => {
    const wanted = readAgainMessage(click.value);
    if (!wanted) return;
    const [found, added] = await Promise.all([
      deps.access.seeRequest(click.viewer, wanted.requestId),
      reread(wanted),
    ]);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    const { request } = found;
    await deps.openAgain(click, request, maskAdded(added, request));
  });

  /** Reads the mention again after a click, because it may have been edited. Returns undefined if it was deleted. */
  async function reread(mention: AgainMessage): Promise<string | undefined> {
    const message = await deps.readMessage(mention);
    const app = { botUserId: deps.botUserId(), botId: deps.botId() };
    return message && readWords(deps.readNames, message, app);
  }
}

function maskAdded(added: string | undefined, { prompt, context }: RunRequest): AddedText {
  if (added === undefined) {
    const notices = ["⚠️ Your message can't be read anymore. Add what you want below."];
    return { text: '', notices };
  }
  // Continue the numbers of the masked secrets in the earlier prompt and its thread.
  const numbers = [...`${prompt}\n${context}`.matchAll(/\[masked secret (\d+)\]/g)].map(
    ([, number]) => Number(number),
  );
  const before = Math.max(0, ...numbers);
  const { text } = maskSecrets(added, before);
  return { text, notices: ['Your message is at the end of the prompt.'] };
}
