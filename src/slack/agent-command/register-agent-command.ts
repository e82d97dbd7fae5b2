import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Deliveries } from '../../store/inbox/deliveries.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { startsAtOnce } from '../configuration/preferences.ts';
import { acknowledgeInTime } from '../connection/deliveries/acknowledge-in-time.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import type { OpenModal } from '../people/members-only.ts';
import { type Asker, ownerOf } from '../people/setting.ts';
import { answerPrivately } from '../posting/answer-privately.ts';
import { isDirect } from '../posting/post-privately.ts';
import { onOpeningClick } from '../runs/acting/click.ts';
import type { UsageQuestion, UsageScope } from '../runs/usage-question.ts';
import { code } from '../text/escape-text.ts';
import { readTypedText } from '../text/typed-text.ts';
import { help, helpActions, mistakeText } from './command-answers.ts';
import {
  type AgentCommand,
  type ListedCreator,
  parseAgentCommand,
  type TypedUsage,
} from './parse-agent-command.ts';
import type { RunAnswer, RunAnswers } from './run-answers.ts';
import type { StartFromCommand, TypedCommand } from './start-from-command.ts';

type AgentCommandDeps = {
  settings: Pick<Settings, 'read'>;
  deliveries: Pick<Deliveries, 'markFirst'>;
  runAnswers: RunAnswers;
  startFromCommand: StartFromCommand;
  modals: {
    openSettings: OpenModal;
    openPresets: OpenModal;
    openAutomations: OpenModal;
    openConnections: OpenModal;
  };
  answerUsage(viewer: RunViewer, question: UsageQuestion): Promise<RunAnswer>;
  answerSchedule: AnswerSchedule;
  answerAudit: AnswerAudit;
  answerDoctor(asker: Asker): Promise<string>;
};

/** Creates an automation, or opens its form. Returns a problem in mrkdwn, or what was created. */
export type AnswerSchedule = (typed: {
  asker: Asker;
  triggerId: string;
  client: WebClient;
  when: string;
  prompt: string | undefined;
}) => Promise<{ problem: string } | Exclude<RunAnswer, string> | undefined>;

type AnswerAudit = (
  asker: Asker,
  filter: { actorId?: string | undefined; action?: string | undefined },
) => Promise<string>;

type CommandArgs = Pick<
  SlackCommandMiddlewareArgs & AllMiddlewareArgs,
  'command' | 'client' | 'respond'
>;

/** Registers `/agent`. Only the person who typed the command sees the answers. */
export function registerAgentCommand(app: Listeners, deps: AgentCommandDeps): void {
  app.command('/agent', async (args) => {
    const { command, ack, client, context } = args;
    const { trigger_id: triggerId, text: sent = '' } = command;
    const typed = readTypedText(sent).trim();
    const asker = {
      teamId: context.teamId ?? '',
      channelId: command.channel_id,
      userId: command.user_id,
    };
    const parsed = await applyAtOnce(deps, parseAgentCommand(typed), asker);
    const read = async () => {
      const answered = await answer(deps, parsed, { asker, typed, sent, triggerId, client });
      return typeof answered === 'string' ? { text: answered } : answered;
    };
    const sendLater = (answered: EphemeralAnswer) => sendPrivately(args, answered);
    // Acknowledge these commands after their work, because a repeated delivery is safe. It gets the same answer or
    // starts the same run.
    if (!isSlow(parsed))
      return acknowledgeInTime({ ack: ephemeral(ack), context }, read, sendLater);
    await ack();
    if (!(await deps.deliveries.markFirst(`trigger ${triggerId}`))) return;
    const answered = await read();
    if (answered) await sendLater(answered);
  });

  onOpeningClick(app, helpActions.list, async (click) => {
    const { userId: creatorId } = click.viewer;
    const answered = await deps.runAnswers.list(click.viewer, { creatorId, state: undefined });
    await answerPrivately(click, typeof answered === 'string' ? { text: answered } : answered);
  });
  onOpeningClick(app, helpActions.settings, async ({ body, client, viewer }) => {
    const asker = { ...viewer, channelId: viewer.conversationId ?? '' };
    await deps.modals.openSettings(client, { triggerId: body.trigger_id, asker });
  });
}

type EphemeralAnswer = Exclude<RunAnswer, string> | { text: string };

const ephemeral = (ack: SlackCommandMiddlewareArgs['ack']) => (answered?: EphemeralAnswer) =>
  ack(answered && { response_type: 'ephemeral', ...answered });

/**
 * Answers where the person typed the command, so that only they see the answer. Posts the answer if Slack sent no
 * `response_url`, which happens in some conversations.
 */
async function sendPrivately(
  { command, client, respond }: CommandArgs,
  answered: EphemeralAnswer,
): Promise<void> {
  const { channel_id: channel, user_id: user, response_url: url } = command;
  if (url) await respond({ response_type: 'ephemeral', ...answered });
  else if (isDirect(channel)) await client.chat.postMessage({ channel: user, ...answered });
  else await client.chat.postEphemeral({ channel, user, ...answered });
}

/** Makes a command start its run without the form, if the person chose that in their settings. */
async function applyAtOnce(
  { settings }: Pick<AgentCommandDeps, 'settings'>,
  command: AgentCommand,
  asker: Asker,
): Promise<AgentCommand> {
  if (command.kind !== 'start' || command.atOnce || !command.prompt) return command;
  return { ...command, atOnce: await startsAtOnce.read(settings, ownerOf('person', asker)) };
}

/** Returns true for commands that only show something. They're acknowledged before their work, the others after it. */
function isSlow(command: AgentCommand): boolean {
  switch (command.kind) {
    case 'start':
      return !command.atOnce && !command.dryRun;
    case 'schedule':
      return command.prompt === undefined;
    case 'list':
    case 'show':
    case 'usage':
    case 'audit':
    case 'doctor':
    case 'settings':
    case 'presets':
    case 'automations':
    case 'connect':
      return true;
    case 'cancel':
    case 'help':
    case 'mistake':
      return false;
  }
}

/** Returns the answer to a command, or undefined if there is nothing to say. `sent` is the text with Slack's markup. */
async function answer(
  deps: AgentCommandDeps,
  command: AgentCommand,
  typedCommand: TypedCommand & { sent: string },
): Promise<RunAnswer | undefined> {
  const { asker, typed, sent, triggerId, client } = typedCommand;
  const viewer = { ...asker, conversationId: asker.channelId };
  switch (command.kind) {
    case 'start':
      return deps.startFromCommand(command, typedCommand);
    case 'list': {
      const creatorId = creatorOf(command.creator, sent, asker.userId);
      return deps.runAnswers.list(viewer, {
        ...(creatorId && { creatorId }),
        state: command.state,
      });
    }
    case 'show':
      return deps.runAnswers.show(viewer, command.run);
    case 'cancel':
      return deps.runAnswers.cancel(viewer, command.run);
    case 'usage': {
      const { of, days } = command;
      const scope = usageScope(of, sent);
      return scope ? deps.answerUsage(viewer, { scope, days }) : mistakeText(typed, notListed(of));
    }
    case 'schedule': {
      const { when, prompt } = command;
      const answered = await deps.answerSchedule({ asker, triggerId, client, when, prompt });
      return answered && 'problem' in answered ? mistakeText(typed, answered.problem) : answered;
    }
    case 'audit': {
      const { person, action } = command;
      const actorId = person && creatorOf(person, sent, asker.userId);
      return deps.answerAudit(asker, { actorId, action });
    }
    case 'doctor':
      return deps.answerDoctor(asker);
    case 'settings':
      await deps.modals.openSettings(client, { triggerId, asker });
      return undefined;
    case 'presets':
      await deps.modals.openPresets(client, { triggerId, asker });
      return undefined;
    case 'automations':
      await deps.modals.openAutomations(client, { triggerId, asker });
      return undefined;
    case 'connect':
      await deps.modals.openConnections(client, { triggerId, asker });
      return undefined;
    case 'help':
      return help;
    case 'mistake':
      return mistakeText(typed, command.problem);
  }
}

/** Returns the person's ID, which Slack sends for a mention. Returns undefined for `all`. */
function creatorOf(creator: ListedCreator, sent: string, userId: string): string | undefined {
  if (creator === 'all') return undefined;
  if (creator === 'mine') return userId;
  return /<@([A-Z0-9]+)/.exec(sent)?.[1] ?? creator.slice(1);
}

/** Returns the scope with the ID that Slack sends for a mention. Returns undefined for a name that isn't a mention. */
function usageScope(of: TypedUsage, sent: string): UsageScope | undefined {
  if (of === 'me' || of === 'everyone') return { of };
  const [, userId] = /<@([A-Z0-9]+)/.exec(sent) ?? /@([UW][A-Z0-9]{4,})(?!\S)/.exec(of) ?? [];
  if (of.startsWith('@')) return userId ? { of: 'person', userId } : undefined;
  const [, channelId] = /<#([A-Z0-9]+)/.exec(sent) ?? /#([CG][A-Z0-9]{4,})(?!\S)/.exec(of) ?? [];
  return channelId ? { of: 'channel', channelId } : undefined;
}

function notListed(of: string): string {
  const [sign, what] = of.startsWith('@') ? ['@', 'person'] : ['#', 'channel'];
  return `${code(of, 60)} isn't a ${what} in Slack. After typing ${sign}, select a ${what} from Slack's list.`;
}
