import { randomUUID } from 'node:crypto';
import type { WebClient } from '@slack/web-api';
import type { AgentConfig } from 'runs-client/contract';
import { isOwnKey } from '../../requests/connection.ts';
import type { Draft, Drafts } from '../../store/people/drafts.ts';
import type { Settings } from '../../store/people/settings.ts';
import { configValues } from '../configuration/config-inputs.ts';
import { offeredConnections } from '../configuration/form-search.ts';
import { hasKeyedServers } from '../configuration/keyed-servers.ts';
import {
  listPresets,
  pickedPreset,
  presetOrigin,
  presetReference,
} from '../configuration/presets.ts';
import { connectionNameOf, type RunConnections } from '../configuration/run-connections.ts';
import {
  defaultEnvironmentOf,
  readDefaultLayers,
  resolveConfig,
} from '../configuration/run-defaults.ts';
import { countFiles, describeFiles } from '../files/message-files.ts';
import { openDenial } from '../people/members-only.ts';
import type { Rights } from '../people/rights.ts';
import type { Asker } from '../people/setting.ts';
import type { CheckPosting } from '../posting/channel-checks.ts';
import { readSlackFailure } from '../posting/slack-failure.ts';
import type { DraftContext, OpenForm, RunDraft } from '../runs/acting/run-start.ts';
import { describeMessageCount } from '../runs/reading/prompt-context.ts';
import { earlierRun } from '../runs/showing/earlier-run.ts';
import { type Choice, cutToInput } from '../text/form-inputs.ts';
import { type FormContent, type FormValues, renderStartRunForm } from './start-run-form.ts';

type Deps = {
  settings: Settings;
  drafts: Drafts;
  connections: RunConnections;
  checkPosting: CheckPosting;
  rights: Rights;
  /** Rights checks that wait for Slack only until the acknowledgement is due. */
  promptRights: Rights;
};

/**
 * Creates the function that opens the form. It shows stored data at once, and adds data from Slack and the runs service
 * later.
 */
export function createFormOpener(deps: Deps): OpenForm {
  const { drafts, promptRights } = deps;
  return async (client, { triggerId, asker }, draft, later) => {
    const { notices = [], files = [], repeats, needsThread: isWanted = false } = draft;
    const { beginning, rest } = cutToInput(draft.prompt);
    const unread = { context: '', messages: 0, left: 0, rest, notices: [...notices] };
    const offered = { isWanted, files: [...files], names: {} };
    const stored: Draft = { ...unread, ...offered, ...(repeats && { repeats }) };
    const [denial, content] = await Promise.all([
      promptRights.denyForm(asker),
      fill(deps, asker, { ...draft, prompt: beginning }, stored),
    ]);
    if (denial) return openDenial(client, triggerId, denial);
    const { draftId } = content.metadata;
    await drafts.write({ id: draftId, teamId: asker.teamId }, stored, Date.now());
    const view = renderStartRunForm(content);
    const opened = await client.views.open({ trigger_id: triggerId, view });
    const { id, hash } = opened.view ?? {};
    if (!id || !hash) return;
    const loaded = await load(deps, asker, { content, stored }, later);
    if (!loaded) return;
    await drafts.rewrite(draftId, loaded);
    await redrawForm(drafts, client, { id, hash }, content);
  };
}

async function fill(
  { settings, connections, promptRights }: Deps,
  asker: Asker,
  draft: RunDraft,
  stored: Draft,
): Promise<FormContent> {
  const { preset } = draft;
  const { teamId, userId } = asker;
  const [layers, presets, names, policy] = await Promise.all([
    draft.repeats ? [] : readDefaultLayers(settings, asker),
    listPresets(settings, asker),
    connections.names(),
    promptRights.policyFor({ teamId, userId, channelId: draft.channelId }),
  ]);
  const defaults = [
    ...layers,
    ...(preset ? [{ origin: presetOrigin(preset), config: preset.config }] : []),
  ];
  const { config, fields } = resolveConfig([
    ...defaults,
    { origin: draft.repeats ? earlierRun : 'typed', config: draft.typed },
  ]);
  const values: FormValues = {
    prompt: draft.prompt,
    channel: draft.channelId,
    title: draft.title ?? '',
    preset: preset ? presetReference(preset) : '',
    ...configValues(config),
  };
  const metadata = {
    channelId: draft.channelId,
    sourceId: draft.sourceId ?? draft.channelId,
    usesOwnKeys: hasKeyedServers(config) || (await usesOwnKey(connections, asker, config)),
    origin: draft.origin,
    isExpanded: showsMoreOptions(draft),
    showsTitle: Boolean(draft.title),
    showsPresets: presets.length > 0,
    defaultEnvironment: defaultEnvironmentOf(defaults),
    isExact: draft.repeats !== undefined,
    draftId: randomUUID(),
    connections: offeredConnections(policy, names),
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
      names: new Map([pickedPreset(preset)]),
    }),
  };
}

async function usesOwnKey(
  connections: RunConnections,
  asker: Asker,
  config: AgentConfig,
): Promise<boolean> {
  const serviceId = await connections.find(connectionNameOf(config));
  return serviceId !== undefined && isOwnKey(await connections.through(asker, serviceId));
}

/** Returns true if *More options* must be open to show typed values. */
const showsMoreOptions = ({ preset, repeats, typed }: RunDraft): boolean =>
  Boolean(preset || repeats || Object.keys(typed).some((key) => key !== 'environment_id'));

/** Loads data from Slack and the runs service into the draft. Returns undefined if the form stays the same. */
async function load(
  { connections, checkPosting, rights }: Deps,
  asker: Asker,
  { content: { metadata, values }, stored }: { content: FormContent; stored: Draft },
  later: (() => Promise<DraftContext | undefined>) | undefined,
): Promise<Draft | undefined> {
  const { teamId, userId } = asker;
  const { channelId } = metadata;
  const place = { teamId, userId, channelId };
  const catalog = await connections.catalogFor(asker, values.connection || undefined);
  const [channelError, loaded, environments] = await Promise.all([
    channelId && ((await rights.denyPlace(place)) ?? checkPosting(channelId)),
    later?.(),
    catalog.environments(),
  ]);
  const {
    id = '',
    name = id,
    warning,
  } = choiceOf(environments.choices, values.environment_id) ?? {};
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

/**
 * Returns the choice with this ID. Without an ID, returns the only choice, because services don't name their default.
 */
const choiceOf = (choices: readonly Choice[], id = ''): Choice | undefined =>
  id === '' && choices.length === 1 ? choices[0] : choices.find((each) => each.id === id);

/**
 * Redraws an open form from its draft. Late data and *More options* can redraw it at the same time, so both change the
 * draft first. The second update gets `hash_conflict`, and draws again with both changes. Slack keeps typed values of
 * inputs with the same IDs.
 */
export async function redrawForm(
  drafts: Drafts,
  client: WebClient,
  { id, hash }: { id: string; hash: string },
  content: FormContent,
): Promise<void> {
  if ((await draw({ view_id: id, hash })) !== 'hash_conflict') return;
  await draw({ view_id: id });

  async function draw(view: { view_id: string; hash?: string }): Promise<string> {
    const draft = await drafts.read(content.metadata.draftId);
    const shown = draft ? withDraft(content, draft) : content;
    try {
      await client.views.update({ ...view, view: renderStartRunForm(shown) });
      return 'drawn';
    } catch (error) {
      const { reason } = readSlackFailure(error);
      // Ignore a conflict, or a form that the person has closed (`not_found`).
      if (reason !== 'hash_conflict' && reason !== 'not_found') throw error;
      return reason;
    }
  }
}

function withDraft(content: FormContent, draft: Draft & { isWhole: boolean }): FormContent {
  const { metadata } = content;
  return {
    ...content,
    metadata: { ...metadata, isExpanded: metadata.isExpanded || draft.isWhole },
    notices: draft.notices,
    environmentWarning: draft.environmentWarning,
    restLength: [...draft.rest].length,
    threadCheckbox: threadCheckboxOf(draft),
    filesText: filesTextOf(draft),
    names: new Map([...(content.names ?? []), ...Object.entries(draft.names)]),
  };
}

function threadCheckboxOf(deps: Draft): FormContent['threadCheckbox'] {
  const { context, messages, left, threadFiles = [], isWanted } = deps;
  if (!context) return undefined;
  const size = [...context].length.toLocaleString('en');
  const files = threadFiles.length > 0 ? `, ${countFiles(threadFiles.length)}` : '';
  const text = `Send the thread too (${describeMessageCount({ messages, left })}, ${size} characters${files})`;
  return { text, isChecked: isWanted };
}

const filesTextOf = ({ files = [] }: Draft): FormContent['filesText'] =>
  files.length > 0 ? `Send ${describeFiles(files)} too` : undefined;
