import type { AllMiddlewareArgs, SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { TakeTurn } from '../../lib/turns.ts';
import type { Deliveries } from '../../store/deliveries.ts';
import type { Settings } from '../../store/settings.ts';
import { dryRunText } from '../configuration/dry-run.ts';
import { readOptionsConfig } from '../configuration/options-config.ts';
import { findPreset, noSuchPreset, presetOrigin } from '../configuration/presets.ts';
import {
  type Asker,
  readDefaultLayers,
  readStartsAtOnce,
  resolveConfig,
} from '../configuration/run-defaults.ts';
import { acknowledgeInTime } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import {
  busyChannelText,
  type OpenForm,
  type OpenModal,
  type StartRun,
} from '../runs/run-start.ts';
import { readTypedText } from '../text/typed-text.ts';
import { helpText, mistakeText } from './command-answers.ts';
import {
  type AgentCommand,
  type ListedCreator,
  parseAgentCommand,
  type StartCommand,
} from './parse-agent-command.ts';
import {
  answerCancel,
  answerList,
  answerShow,
  type RunAnswer,
  type RunAnswerParts,
} from './run-answers.ts';

type AgentCommandParts = RunAnswerParts & {
  settings: Pick<Settings, 'read' | 'readLayers' | 'list'>;
  deliveries: Pick<Deliveries, 'markFirst'>;
  /** What was acknowledged waits for this. */
  takeTurn: TakeTurn;
  startRun: StartRun;
  openForm: OpenForm;
  openSettings: OpenModal;
  openPresets: OpenModal;
};

type Asked = { asker: Asker; typed: string; sent: string; triggerId: string; client: WebClient };
type CommandArgs = Pick<
  SlackCommandMiddlewareArgs & AllMiddlewareArgs,
  'command' | 'client' | 'respond'
>;
/** Undefined: nothing needs to be said. */
type Answer = Promise<RunAnswer | undefined>;

/** `/agent …`: everything that can be typed. Answers are seen by the person alone. */
export function registerAgentCommand(app: Listeners, parts: AgentCommandParts): void {
  app.command('/agent', async (args) => {
    const { command, ack, client } = args;
    const sent = command.text ?? '';
    const typed = readTypedText(sent).trim();
    const asker = {
      teamId: command.team_id,
      channelId: command.channel_id,
      userId: command.user_id,
    };
    const asked = await applyAtOnce(parts, parseAgentCommand(typed), asker);
    const triggerId = command.trigger_id;
    const say = async () => {
      const answered = await answer(parts, asked, { asker, typed, sent, triggerId, client });
      const content = typeof answered === 'string' ? { text: answered } : answered;
      return content;
    };
    const sayLater = (said: EphemeralAnswer) => sayPrivately(args, said);
    // Delivered twice, it says the same twice, or starts the same run.
    if (!takesTime(asked)) return acknowledgeInTime(ephemeral(ack), say, sayLater);
    await ack();
    await parts.takeTurn();
    if (!(await parts.deliveries.markFirst(`trigger ${triggerId}`))) return;
    const said = await say();
    if (said) await sayLater(said);
  });
}

type EphemeralAnswer = Exclude<RunAnswer, string> | { text: string };

const ephemeral = (ack: SlackCommandMiddlewareArgs['ack']) => (said?: EphemeralAnswer) =>
  ack(said && { response_type: 'ephemeral', ...said });

/** Slack leaves the `response_url` out in places; then the answer stands in the channel, for the person alone. */
async function sayPrivately(
  { command, client, respond }: CommandArgs,
  said: EphemeralAnswer,
): Promise<void> {
  const { channel_id: channel, user_id: user, response_url: url } = command;
  if (url) await respond({ response_type: 'ephemeral', ...said });
  else await client.chat.postEphemeral({ channel, user, ...said });
}

/** A person may wish that a prompt starts without the form. */
async function applyAtOnce(
  { settings }: Pick<AgentCommandParts, 'settings'>,
  command: AgentCommand,
  asker: Asker,
): Promise<AgentCommand> {
  if (command.kind !== 'start' || command.atOnce || !command.prompt) return command;
  return { ...command, atOnce: await readStartsAtOnce(settings, asker) };
}

/** Starting at once is acknowledged when the request is stored; what asks other services is acknowledged before. */
function takesTime(command: AgentCommand): boolean {
  switch (command.kind) {
    case 'start':
      return !command.atOnce && !command.dryRun;
    case 'list':
    case 'show':
    case 'cancel':
    case 'settings':
    case 'presets':
      return true;
    case 'help':
    case 'mistake':
      return false;
  }
}

async function answer(parts: AgentCommandParts, command: AgentCommand, asked: Asked): Answer {
  const { asker, typed, sent } = asked;
  const { teamId, userId } = asker;
  switch (command.kind) {
    case 'start':
      return start(parts, command, asked);
    case 'list': {
      const creatorId = creatorOf(command.creator, sent, userId);
      const { state } = command;
      return answerList(parts, userId, { teamId, ...(creatorId && { creatorId }), state });
    }
    case 'show':
      return answerShow(parts, asker, command.run);
    case 'cancel':
      return answerCancel(parts, asker, command.run);
    case 'settings':
      await parts.openSettings(asked.client, { triggerId: asked.triggerId, asker });
      return undefined;
    case 'presets':
      await parts.openPresets(asked.client, { triggerId: asked.triggerId, asker });
      return undefined;
    case 'help':
      return helpText;
    case 'mistake':
      return mistakeText(typed, command);
  }
}

async function start(parts: AgentCommandParts, command: StartCommand, asked: Asked): Answer {
  const { prompt, options, places } = command;
  const { asker, typed, triggerId, client } = asked;
  const read = readOptionsConfig(options);
  if (!read.ok) return mistakeText(typed, { problem: read.problem, at: places[read.wrong] ?? 1 });
  const { config } = read;
  const preset = options.preset
    ? await findPreset(parts.settings, asker, { name: options.preset })
    : undefined;
  if (options.preset && !preset) {
    return mistakeText(typed, { problem: noSuchPreset(options.preset), at: places.preset ?? 1 });
  }
  const title = options.title ?? '';
  const origin = { kind: 'command' as const };
  if (!command.atOnce && !command.dryRun) {
    const { channelId } = asker;
    const draft = { channelId, prompt, title, typed: config, preset, origin };
    await parts.openForm(client, { triggerId, asker }, draft);
    return undefined;
  }
  const layers = await readDefaultLayers(parts.settings, asker);
  const resolved = resolveConfig([
    ...layers,
    ...(preset ? [{ origin: presetOrigin(preset), config: preset.config }] : []),
    { origin: 'typed', config },
  ]);
  if (command.dryRun) return dryRunText({ prompt, title, ...resolved });
  const outcome = await parts.startRun({
    id: `${asker.teamId}-${triggerId}`,
    teamId: asker.teamId,
    creatorId: asker.userId,
    channelId: asker.channelId,
    prompt,
    title,
    config: resolved.config,
    origin: { ...origin, fields: resolved.fields },
  });
  return outcome.outcome === 'refused' ? `⚠️ ${outcome.sentence}` : busyChannelText(outcome);
}

/** Slack sends the id of whoever was mentioned; undefined means everybody. */
function creatorOf(creator: ListedCreator, sent: string, userId: string): string | undefined {
  if (creator === 'all') return undefined;
  if (creator === 'mine') return userId;
  return /<@([A-Z0-9]+)/.exec(sent)?.[1] ?? creator.slice(1);
}
