import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { Deliveries } from '../../store/inbox/deliveries.ts';
import type { Settings } from '../../store/people/settings.ts';
import { startsAtOnce } from '../configuration/preferences.ts';
import { acknowledgeInTime } from '../connection/deliveries/acknowledge-in-time.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { OpenModal } from '../people/members-only.ts';
import { type Asker, ownerOf } from '../people/setting.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { isDirect } from '../posting/post-privately.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import { readTypedText } from '../text/typed-text.ts';
import { help, helpActions, mistakeText } from './command-answers.ts';
import { type AgentCommand, type ListedCreator, parseAgentCommand } from './parse-agent-command.ts';
import {
  answerCancel,
  answerList,
  answerShow,
  type RunAnswer,
  type RunAnswerParts,
} from './run-answers.ts';
import { type Asked, type StartFromCommandParts, startFromCommand } from './start-from-command.ts';

type AgentCommandParts = RunAnswerParts &
  StartFromCommandParts & {
    settings: Pick<Settings, 'read'>;
    deliveries: Pick<Deliveries, 'markFirst'>;
    /** Slow commands wait for it after they are acknowledged. */
    openSettings: OpenModal;
    openPresets: OpenModal;
    openConnections: OpenModal;
    answerAudit(
      asker: Asker,
      filter: { actorId?: string | undefined; action?: string | undefined },
    ): Promise<string>;
    answerDoctor(asker: Asker): Promise<string>;
  };

type CommandArgs = Pick<
  SlackCommandMiddlewareArgs & AllMiddlewareArgs,
  'command' | 'client' | 'respond'
>;

/** `/agent …`: everything that can be typed. Only the person sees the answers. */
export function registerAgentCommand(app: Listeners, parts: AgentCommandParts): void {
  app.command('/agent', async (args) => {
    const { command, ack, client, context } = args;
    const { trigger_id: triggerId, text: sent = '' } = command;
    const typed = readTypedText(sent).trim();
    const asker = {
      teamId: context.teamId ?? '',
      channelId: command.channel_id,
      userId: command.user_id,
    };
    const parsed = await applyAtOnce(parts, parseAgentCommand(typed), asker);
    const read = async () => {
      const given = await answer(parts, parsed, { asker, typed, sent, triggerId, client });
      return typeof given === 'string' ? { text: given } : given;
    };
    const sendLater = (given: EphemeralAnswer) => sendPrivately(args, given);
    // When it's delivered twice, it answers the same or starts the same run.
    if (!isSlow(parsed))
      return acknowledgeInTime({ ack: ephemeral(ack), context }, read, sendLater);
    await ack();
    if (!(await parts.deliveries.markFirst(`trigger ${triggerId}`))) return;
    const given = await read();
    if (given) await sendLater(given);
  });

  onOpeningClick(app, helpActions.list, async (click) => {
    const { userId: creatorId } = click.viewer;
    const given = await answerList(parts, click.viewer, { creatorId, state: undefined });
    await answerPrivately(click, typeof given === 'string' ? { text: given } : given);
  });
  onOpeningClick(app, helpActions.settings, async ({ body, client, viewer }) => {
    const asker = { ...viewer, channelId: viewer.conversationId ?? '' };
    await parts.openSettings(client, { triggerId: body.trigger_id, asker });
  });
}

type EphemeralAnswer = Exclude<RunAnswer, string> | { text: string };

const ephemeral = (ack: SlackCommandMiddlewareArgs['ack']) => (given?: EphemeralAnswer) =>
  ack(given && { response_type: 'ephemeral', ...given });

/**
 * Ephemeral in direct messages too: the person looks at the place where they typed the command, and an answer in a
 * conversation with another person would be read by both. In some places Slack sends no `response_url`.
 */
async function sendPrivately(
  { command, client, respond }: CommandArgs,
  given: EphemeralAnswer,
): Promise<void> {
  const { channel_id: channel, user_id: user, response_url: url } = command;
  if (url) await respond({ response_type: 'ephemeral', ...given });
  else if (isDirect(channel)) await client.chat.postMessage({ channel: user, ...given });
  else await client.chat.postEphemeral({ channel, user, ...given });
}

/** People can choose in their settings to start without the form. */
async function applyAtOnce(
  { settings }: Pick<AgentCommandParts, 'settings'>,
  command: AgentCommand,
  asker: Asker,
): Promise<AgentCommand> {
  if (command.kind !== 'start' || command.atOnce || !command.prompt) return command;
  return { ...command, atOnce: await startsAtOnce.read(settings, ownerOf('person', asker)) };
}

/** Commands that only show something are acknowledged before; a start or a cancel, once it's stored. */
function isSlow(command: AgentCommand): boolean {
  switch (command.kind) {
    case 'start':
      return !command.atOnce && !command.dryRun;
    case 'list':
    case 'show':
    case 'audit':
    case 'doctor':
    case 'settings':
    case 'presets':
    case 'connect':
      return true;
    case 'cancel':
    case 'help':
    case 'mistake':
      return false;
  }
}

/** Undefined when nothing needs to be said. `sent` is the text before Slack's markup was read. */
async function answer(
  parts: AgentCommandParts,
  command: AgentCommand,
  asked: Asked & { sent: string },
): Promise<RunAnswer | undefined> {
  const { asker, typed, sent, triggerId, client } = asked;
  const viewer = { ...asker, conversationId: asker.channelId };
  switch (command.kind) {
    case 'start':
      return startFromCommand(parts, command, asked);
    case 'list': {
      const creatorId = creatorOf(command.creator, sent, asker.userId);
      return answerList(parts, viewer, { ...(creatorId && { creatorId }), state: command.state });
    }
    case 'show':
      return answerShow(parts, viewer, command.run);
    case 'cancel':
      return answerCancel(parts, viewer, command.run);
    case 'audit': {
      const { person, action } = command;
      const actorId = person && creatorOf(person, sent, asker.userId);
      return parts.answerAudit(asker, { actorId, action });
    }
    case 'doctor':
      return parts.answerDoctor(asker);
    case 'settings':
      await parts.openSettings(client, { triggerId, asker });
      return undefined;
    case 'presets':
      await parts.openPresets(client, { triggerId, asker });
      return undefined;
    case 'connect':
      await parts.openConnections(client, { triggerId, asker });
      return undefined;
    case 'help':
      return help;
    case 'mistake':
      return mistakeText(typed, command.problem);
  }
}

/** Slack sends the id of a mentioned person. Undefined means everyone. */
function creatorOf(creator: ListedCreator, sent: string, userId: string): string | undefined {
  if (creator === 'all') return undefined;
  if (creator === 'mine') return userId;
  return /<@([A-Z0-9]+)/.exec(sent)?.[1] ?? creator.slice(1);
}
