import { newBlockId } from '../lib/ids.ts';
import type { JsonObject } from '../lib/json.ts';
import type { AppManifest } from '../manifest.ts';
import { findInstallation } from '../world/directory.ts';
import type { Files, Upload } from '../world/files.ts';
import type { MessageLog } from '../world/message-log.ts';
import type { Channel, Message, Person, World } from '../world/world.ts';
import type { Interactions } from './interactions.ts';
import { type GuestRule, guestsOut, isShutOut, type Outcome } from './outcome.ts';
import { encodeTyped, escapeControl, richTextOf } from './typed-text.ts';

type TypingDeps = GuestRule & {
  world: World;
  manifest: AppManifest;
  log: MessageLog;
  files: Files;
  interactions: Interactions;
};

type Typed = {
  channel: Channel;
  text: string;
  threadTs?: string | undefined;
  /** Shared files, in Slack's format. */
  files?: JsonObject[] | undefined;
  uploads?: Upload[] | undefined;
  inView?: string | undefined;
};

/** Sends a text from the composer. `/command …` is sent as a slash command, everything else as a message. */
export async function typeText(
  deps: TypingDeps,
  person: Person,
  typed: Typed,
): Promise<{ outcome: Outcome; message?: Message }> {
  const { channel, text, threadTs, uploads = [] } = typed;
  // Post the commands of an app's bot as text, because apps can't use commands.
  const isCommand = person.botId === undefined && /^\/\S/.test(text);
  if (isShutOut(deps, person) && (isCommand || isWithApp(deps, channel))) return denied(guestsOut);
  if (isCommand) return { outcome: await sendCommand(deps, person, typed) };
  if (!channel.memberIds.includes(person.id)) return denied('not_in_channel');
  if (channel.isArchived) return denied('is_archived');
  if (isReadOnly(deps, channel)) return denied('messages_tab_read_only');
  const encoded = encodeTyped(deps.world, channel.teamId, text);
  const { botId, appId } = person;
  const added = uploads.map((upload) => deps.files.add(channel, person.id, upload));
  const files = [...(typed.files ?? []), ...added.map((file) => deps.files.payload(file))];
  const { message, delivered } = deps.log.post({
    channelId: channel.id,
    userId: person.id,
    text: encoded,
    blocks: [richTextOf(encoded, newBlockId())],
    ...(botId ? { botId, ...(appId && { appId }) } : { clientMessageId: crypto.randomUUID() }),
    ...(threadTs && { threadTs }),
    ...(seesContext(deps, channel) && typed.inView && { inView: typed.inView }),
    ...(files.length > 0 && { files, subtype: 'file_share' }),
  });
  for (const file of added)
    deps.files.share(file, { channelId: channel.id, ts: message.ts, threadTs });
  const answers = await delivered;
  const outcome = answers.find(({ acked }) => !acked) ?? answers[0];
  return { outcome: outcome ?? { acked: true, body: undefined }, message };
}

/** Sends a slash command. Errors have the wording of Slack's client. */
async function sendCommand(
  { world, manifest, interactions }: TypingDeps,
  person: Person,
  { channel, text, threadTs }: Typed,
): Promise<Outcome> {
  const [, command = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  const declared = manifest.features.slash_commands.find((each) => each.command === command);
  if (!declared || !findInstallation(world, channel.teamId)?.scopes.includes('commands')) {
    return { acked: false, error: `${command} is not a valid command` };
  }
  if (threadTs) return { acked: false, error: `${command} is not supported in threads. Sorry!` };
  const typed = rest.trim();
  const sent = declared.should_escape
    ? encodeTyped(world, channel.teamId, typed)
    : escapeControl(typed);
  return await interactions.command(person, channel.id, command, sent);
}

/**
 * Returns true if the app learns which channel is in view. Slack tells only agent apps that subscribe to context
 * changes.
 */
function seesContext(deps: TypingDeps, channel: Channel): boolean {
  const { features, settings } = deps.manifest;
  const isHeard = settings.event_subscriptions.bot_events.includes('app_context_changed');
  return features.agent_view !== undefined && isHeard && isWithApp(deps, channel);
}

/** Returns true for the direct channel with the app if the manifest makes it read-only. */
function isReadOnly(deps: TypingDeps, channel: Channel): boolean {
  const { app_home: home } = deps.manifest.features;
  return isWithApp(deps, channel) && home?.messages_tab_read_only_enabled === true;
}

function isWithApp({ world }: TypingDeps, { kind, teamId, memberIds }: Channel): boolean {
  const bot = findInstallation(world, teamId)?.botUserId;
  return kind === 'im' && bot !== undefined && memberIds.includes(bot);
}

function denied(error: string): { outcome: Outcome } {
  return { outcome: { acked: false, error } };
}
