import type { WebClient } from '@slack/web-api';
import { ownAuthority } from '../../requests/authority.ts';
import type { Settings } from '../../store/people/settings.ts';
import {
  type EnvironmentCheckDeps,
  findEnvironmentError,
} from '../configuration/run-connections.ts';
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

export type StartFromCommandParts = EnvironmentCheckDeps & {
  settings: Pick<Settings, 'readLayers' | 'list'>;
  startRun: StartRun;
  rights: Pick<Rights, 'refuseConfigured'>;
  openForm: OpenForm;
  checkPosting: CheckPosting;
  granted: Pick<GrantedScopes, 'has'>;
};

/** `typed` is the text after `/agent`. */
export type Asked = { asker: Asker; typed: string; triggerId: string; client: WebClient };

/** Opens the form, or starts a run at once. Returns what to answer, if anything. */
export async function startFromCommand(
  parts: StartFromCommandParts,
  { prompt, options, atOnce, dryRun }: StartCommand,
  { asker, typed, triggerId, client }: Asked,
): Promise<string | undefined> {
  const { settings, startRun, openForm, rights } = parts;
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
  const found = await findEnvironmentError(parts, asker, config);
  const unlisted = found && escapeText(found, 1_000);
  if (dryRun) {
    const refusal = (await rights.refuseConfigured({ ...asker, config })) ?? unlisted;
    return dryRunText({ prompt, title, config, fields, refusal });
  }
  if (unlisted) return mistakeText(typed, unlisted);
  // Otherwise, only few channels are closed, and their runs go to the creator.
  const postsAnywhere = parts.granted.has('chat:write.public');
  const closed = postsAnywhere ? undefined : await parts.checkPosting(channelId);
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
  return outcome.outcome === 'refused' ? `⚠️ ${outcome.sentence}` : busyChannelText(outcome);
}
