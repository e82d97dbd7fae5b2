import { randomUUID } from 'node:crypto';
import type { AgentConfig } from 'runs-client/contract';
import { allowsId, isForPlaces, rulingOn } from '../../policy/ruling.ts';
import { isOwnKey } from '../../requests/connection.ts';
import type { Draft, Drafts } from '../../store/people/drafts.ts';
import type { Settings } from '../../store/people/settings.ts';
import { configValues } from '../configuration/config-inputs.ts';
import { hasKeyedServers } from '../configuration/keyed-servers.ts';
import { presetKinds, presetOrigin, presetReference } from '../configuration/presets.ts';
import { connectionNameOf, type RunConnections } from '../configuration/run-connections.ts';
import { readDefaultLayers, resolveConfig } from '../configuration/run-defaults.ts';
import { openRefusal } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import type { CheckPosting } from '../posting/channel-checks.ts';
import type { DraftContext, OpenForm, RunDraft } from '../runs/acting/run-start.ts';
import { earlierRun } from '../runs/showing/earlier-run.ts';
import { limits } from '../text/escape-text.ts';
import type { Choice } from '../text/form-inputs.ts';
import { filesTextOf, redrawForm, threadCheckboxOf } from './draw-form.ts';
import type { FormContent, FormValues } from './form-content.ts';
import { renderStartRunForm } from './start-run-form.ts';

export type OpenFormParts = {
  settings: Pick<Settings, 'readLayers'>;
  drafts: Drafts;
  connections: Pick<RunConnections, 'catalogFor' | 'names' | 'find' | 'through'>;
  checkPosting: CheckPosting;
  rights: Pick<Rights, 'refusePlace'>;
  promptRights: Pick<Rights, 'refuseForm' | 'policyFor'>;
};

/** Opens the form with what is in the store; data from Slack and the runs service follows. */
export function createFormOpener(parts: OpenFormParts): OpenForm {
  return async (client, { triggerId, asker }, draft, later) => {
    const { notices = [], files = [], repeats, needsThread: isWanted = false } = draft;
    const { beginning, rest } = cutPrompt(draft.prompt);
    const unread = { context: '', messages: 0, left: 0, rest, notices: [...notices] };
    const offered = { isWanted, files: [...files], names: {} };
    const stored: Draft = { ...unread, ...offered, ...(repeats && { repeats }) };
    const [refusal, content] = await Promise.all([
      parts.promptRights.refuseForm(asker),
      fill(parts, asker, { ...draft, prompt: beginning }, stored),
    ]);
    if (refusal) return openRefusal(client, triggerId, refusal);
    const { draftId } = content.metadata;
    await parts.drafts.write({ id: draftId, teamId: asker.teamId }, stored, Date.now());
    const view = renderStartRunForm(content);
    const opened = await client.views.open({ trigger_id: triggerId, view });
    const { id, hash } = opened.view ?? {};
    if (!id || !hash) return;
    const loaded = await load(parts, asker, { content, stored }, later);
    if (!loaded) return;
    await parts.drafts.rewrite(draftId, loaded);
    await redrawForm(parts.drafts, client, { id, hash }, content);
  };
}

async function fill(
  { settings, connections, promptRights }: OpenFormParts,
  asker: Asker,
  draft: RunDraft,
  stored: Draft,
): Promise<FormContent> {
  const { preset } = draft;
  const { teamId, userId } = asker;
  const [layers, names, policy] = await Promise.all([
    draft.repeats ? [] : readDefaultLayers(settings, asker),
    connections.names(),
    promptRights.policyFor({ teamId, userId, channelId: draft.channelId }),
  ]);
  const { config, fields } = resolveConfig([
    ...layers,
    ...(preset ? [{ origin: presetOrigin(preset), config: preset.config }] : []),
    { origin: draft.repeats ? earlierRun : 'typed', config: draft.typed },
  ]);
  const values: FormValues = {
    prompt: draft.prompt,
    channel: draft.channelId,
    title: draft.title ?? '',
    preset: preset ? presetReference(preset) : '',
    ...configValues(config),
  };
  // The form offers the same for each channel that can be picked in it. The start checks rules for some channels.
  const isForSomeChannels = policy.rules.some((rule) => rule.connections && isForPlaces(rule));
  const isKnown = !isForSomeChannels && !rulingOn(policy, 'connections').isUnknown;
  const metadata = {
    channelId: draft.channelId,
    sourceId: draft.sourceId ?? draft.channelId,
    usesOwnKeys: hasKeyedServers(config) || (await usesOwnKey(connections, asker, config)),
    origin: draft.origin,
    isExpanded: showsMoreOptions(draft),
    isExact: draft.repeats !== undefined,
    draftId: randomUUID(),
    connections: isKnown ? names.filter((name) => allowsId(policy, 'connections', name)) : names,
    serversFrom: fields['mcp_servers'],
  };
  return {
    metadata,
    values,
    restLength: [...stored.rest].length,
    threadCheckbox: threadCheckboxOf(stored),
    filesText: filesTextOf(stored),
    notices: stored.notices,
    ...(preset && {
      names: new Map([[presetReference(preset), `${preset.name} (${presetKinds[preset.scope]})`]]),
    }),
  };
}

async function usesOwnKey(
  connections: OpenFormParts['connections'],
  asker: Asker,
  config: AgentConfig,
): Promise<boolean> {
  const serviceId = await connections.find(connectionNameOf(config));
  return serviceId !== undefined && isOwnKey(await connections.through(asker, serviceId));
}

/** Joining both parts restores the prompt. */
function cutPrompt(prompt: string): { beginning: string; rest: string } {
  const points = [...prompt.trim()];
  if (points.length <= limits.inputValue) return { beginning: prompt, rest: '' };
  const beginning = points.slice(0, limits.inputValue).join('').trimEnd();
  return { beginning, rest: prompt.trim().slice(beginning.length) };
}

/** Typed options are always visible. */
const showsMoreOptions = ({ preset, repeats, typed }: RunDraft): boolean =>
  Boolean(preset || repeats || Object.keys(typed).some((key) => key !== 'environment_id'));

/** The draft with the late data; undefined if that changes nothing in the form. */
async function load(
  { connections, checkPosting, rights }: OpenFormParts,
  asker: Asker,
  { content: { metadata, values }, stored }: { content: FormContent; stored: Draft },
  later: (() => Promise<DraftContext | undefined>) | undefined,
): Promise<Draft | undefined> {
  const { teamId, userId } = asker;
  const { channelId } = metadata;
  const place = { teamId, userId, channelId };
  const catalog = await connections.catalogFor(asker, values.connection || undefined);
  const [channelError, loaded, environments] = await Promise.all([
    channelId && ((await rights.refusePlace(place)) ?? checkPosting(channelId)),
    later?.(),
    catalog.environments(),
  ]);
  const { id = '', name = id, warning } = chosen(environments.choices, values.environment_id) ?? {};
  const isNamed = id === values.environment_id && name !== id;
  if (!channelError && !loaded && !isNamed && !warning) return undefined;
  const { context = '', messages = 0, left = 0, isWanted = false, permalink } = loaded ?? {};
  const threadFiles = [...(loaded?.files ?? [])];
  return {
    ...stored,
    context,
    messages,
    left,
    isWanted,
    threadFiles,
    ...(permalink && { permalink }),
    notices: [
      ...stored.notices,
      ...(loaded?.notices ?? []),
      ...(channelError ? [`⚠️ ${channelError}`] : []),
    ],
    names: isNamed ? { [id]: name } : {},
    ...(warning && { environmentWarning: warning }),
  };
}

/** Without an id, the only one. Services don't say which one is the default. */
const chosen = (choices: readonly Choice[], id = ''): Choice | undefined =>
  id === '' && choices.length === 1 ? choices[0] : choices.find((each) => each.id === id);
