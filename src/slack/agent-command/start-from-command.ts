import type { WebClient } from '@slack/web-api';
import { ownAuthority } from '../../requests/authority.ts';
import type { Settings } from '../../store/people/settings.ts';
import { findEnvironmentError, type RunConnections } from '../configuration/run-connections.ts';
import { readTypedConfig, resolveTyped } from '../configuration/typed-options.ts';
import type { GrantedScopes } from '../connection/installations/granted-scopes.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import type { CheckPosting } from '../posting/channel-checks.ts';
import { busyChannelText, type OpenForm, type StartRun } from '../runs/acting/run-start.ts';
import { dryRunText } from '../runs/showing/dry-run.ts';
import { escapeText } from '../text/escape-text.ts';
import { mistakeText } from './command-answers.ts';
import type { StartCommand } from './parse-agent-command.ts';

type StartFromCommandDeps = {
  settings: Pick<Settings, 'readLayers' | 'list'>;
  connections: Pick<RunConnections, 'catalogFor'>;
  rights: Pick<Rights, 'denyConfigured'>;
  startRun: StartRun;
  openForm: OpenForm;
  checkPosting: CheckPosting;
  granted: Pick<GrantedScopes, 'has'>;
  ackWaitMs: number;
};

/** A command with the text after `/agent` as `typed`. */
export type TypedCommand = { asker: Asker; typed: string; triggerId: string; client: WebClient };

export type StartFromCommand = (
  command: StartCommand,
  typed: TypedCommand,
) => Promise<string | undefined>;

/** Opens the form, or starts a run at once. Returns an answer for the person, if there is one. */
export const createCommandStarter =
  (deps: StartFromCommandDeps): StartFromCommand =>
  (command, typed) =>
    start(deps, command, typed);

async function start(
  deps: StartFromCommandDeps,
  { prompt, options, atOnce, dryRun }: StartCommand,
  { asker, typed, triggerId, client }: TypedCommand,
): Promise<string | undefined> {
  const { settings, startRun, openForm, rights, connections, ackWaitMs } = deps;
  const read = await readTypedConfig(settings, asker, options);
  if (!read.ok) return mistakeText(typed, read.problem);
  const { channelId, teamId, userId } = asker;
  const title = options.title ?? '';
  const origin = { kind: 'command' as const };
  if (!atOnce && !dryRun) {
    const { config, preset } = read;
    const draft = { channelId, prompt, title, typed: config, preset, origin };
    await openForm(client, { triggerId, asker }, draft);
    return undefined;
  }
  const { config, fields } = await resolveTyped(settings, asker, read);
  const problem = await findEnvironmentError({ connections, ackWaitMs }, asker, config);
  const unlisted = problem && escapeText(problem, 1_000);
  if (dryRun) {
    const denial = (await rights.denyConfigured({ ...asker, config })) ?? unlisted;
    return dryRunText({ prompt, title, config, fields, denial });
  }
  if (unlisted) return mistakeText(typed, unlisted);
  // Skip the check with this scope, because the app can post almost everywhere. Elsewhere, the app posts to the
  // creator instead.
  const postsAnywhere = deps.granted.has('chat:write.public');
  const closed = postsAnywhere ? undefined : await deps.checkPosting(channelId);
  if (closed) return `⚠️ ${escapeText(closed, 1_000)}`;
  const outcome = await startRun({
    id: `${teamId}-${triggerId}`,
    teamId,
    authority: ownAuthority(userId),
    channelId,
    prompt,
    title,
    config,
    origin: { ...origin, fields },
  });
  return outcome.outcome === 'rejected' ? `⚠️ ${outcome.sentence}` : busyChannelText(outcome);
}
