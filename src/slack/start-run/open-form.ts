import { randomUUID } from 'node:crypto';
import type { WebClient } from '@slack/web-api';
import type { AgentConfig } from '../../runs-api/contract.ts';
import type { Draft, Drafts } from '../../store/drafts.ts';
import type { Settings } from '../../store/settings.ts';
import type { CheckPosting } from '../post-check.ts';
import { findPreset } from '../presets.ts';
import type { RunCatalog } from '../run-catalog.ts';
import { type Asker, readDefaultLayers, resolveConfig } from '../run-defaults.ts';
import type { DraftContext, OpenForm, RunDraft } from '../run-start.ts';
import { readSlackTrouble } from '../slack-trouble.ts';
import { type FormContent, type FormValues, renderStartRunForm } from './start-run-form.ts';

export type OpenFormParts = {
  settings: Pick<Settings, 'read' | 'list'>;
  drafts: Drafts;
  catalog: RunCatalog;
  checkPosting: CheckPosting;
};

/** Opens the form with what the store knows; everything that has to be asked for comes after. */
export function createFormOpener(parts: OpenFormParts): OpenForm {
  return async (client, { triggerId, asker }, draft, later) => {
    const content = await fill(parts, asker, draft, later !== undefined);
    const view = renderStartRunForm(content);
    const opened = await client.views.open({ trigger_id: triggerId, view });
    const { id, hash } = opened.view ?? {};
    if (!id || !hash) return;
    const refined = await refine(parts, content, draft, later);
    if (refined) await update(client, { id, hash }, refined);
  };
}

async function fill(
  { settings, drafts }: OpenFormParts,
  asker: Asker,
  draft: RunDraft,
  hasMore: boolean,
): Promise<FormContent> {
  const layers = draft.isExact ? [] : await readDefaultLayers(settings, asker);
  const preset = draft.preset ? await findPreset(settings, asker, draft.preset) : undefined;
  const { config } = resolveConfig([
    ...layers,
    ...(preset ? [{ origin: 'preset', config: preset.config }] : []),
    { origin: 'typed', config: draft.typed },
  ]);
  const secrets = draft.secrets ?? {};
  const needsDraft = hasMore || Object.keys(secrets).length > 0;
  const draftId = needsDraft ? randomUUID() : undefined;
  if (draftId) await drafts.write(draftId, { context: '', messages: 0, secrets }, Date.now());
  const values: FormValues = {
    prompt: draft.prompt,
    channel: draft.channelId,
    title: draft.title ?? '',
    preset: preset?.name ?? '',
    ...valuesOf(config),
  };
  const metadata = {
    channelId: draft.channelId,
    origin: draft.origin,
    isWhole: hasTail(draft),
    isExact: draft.isExact ?? false,
    ...(draftId && { draftId }),
  };
  const contextTicks = contextTicksOf({ context: '', messages: 0, secrets });
  return { metadata, values, contextTicks, notices: draft.notices ?? [] };
}

/** A configuration as the fields show it. */
export const valuesOf = (config: AgentConfig): FormValues => ({
  environment_id: config.environment_id ?? '',
  model_id: config.model_id ?? '',
  skill_spec: config.skill_spec ?? '',
  name: config.name ?? '',
  base_prompt: config.base_prompt ?? '',
  mcp_servers: config.mcp_servers ? JSON.stringify(config.mcp_servers, null, 2) : '',
});

/** What somebody typed must be seen, so it opens the part of the form that shows it. */
const hasTail = ({ preset, isExact, typed }: RunDraft): boolean =>
  Boolean(preset || isExact || Object.keys(typed).some((key) => key !== 'environment_id'));

export function contextTicksOf({ context, messages, secrets }: Draft, isWanted = false) {
  const masked = Object.keys(secrets).length;
  const size = [...context].length.toLocaleString('en');
  const noun = messages === 1 ? 'message' : 'messages';
  const thread = `Send the thread too: ${messages} ${noun}, ${size} characters`;
  const unmasked = `Send the ${masked} masked ${masked === 1 ? 'secret' : 'secrets'} as they are`;
  return [
    ...(context ? [{ value: 'thread', text: thread, isTicked: isWanted }] : []),
    ...(masked > 0 ? [{ value: 'secrets', text: unmasked, isTicked: false }] : []),
  ];
}

/** What is worth showing once it is known; undefined when nothing is. */
async function refine(
  { drafts, catalog, checkPosting }: OpenFormParts,
  content: FormContent,
  draft: RunDraft,
  later: (() => Promise<DraftContext | undefined>) | undefined,
): Promise<FormContent | undefined> {
  const { metadata, values, notices = [] } = content;
  const [closed, learnt, environments] = await Promise.all([
    draft.channelId ? checkPosting(draft.channelId) : undefined,
    later?.(),
    values.environment_id ? catalog.environments() : [],
  ]);
  const environment = environments.find(({ id }) => id === values.environment_id);
  const isNamed = environment?.name !== undefined && environment.name !== environment.id;
  if (!closed && !learnt && !isNamed) return undefined;
  const secrets = { ...draft.secrets, ...learnt?.secrets };
  const stored = { context: learnt?.context ?? '', messages: learnt?.messages ?? 0, secrets };
  if (metadata.draftId) await drafts.write(metadata.draftId, stored, Date.now());
  const { source } = metadata.origin;
  const permalink = learnt?.permalink;
  const origin = source && permalink ? { source: { ...source, permalink } } : {};
  return {
    ...content,
    metadata: { ...metadata, origin: { ...metadata.origin, ...origin } },
    contextTicks: contextTicksOf(stored, learnt?.isWanted),
    notices: [...notices, ...(learnt?.notices ?? []), ...(closed ? [`⚠️ ${closed}`] : [])],
    ...(isNamed && { names: new Map([[environment.id, environment.name ?? environment.id]]) }),
  };
}

/** What a person has typed meanwhile stays; a form that was changed or closed meanwhile is left alone. */
async function update(
  client: WebClient,
  { id, hash }: { id: string; hash: string },
  content: FormContent,
): Promise<void> {
  try {
    await client.views.update({ view_id: id, hash, view: renderStartRunForm(content) });
  } catch (error) {
    const { reason } = readSlackTrouble(error);
    if (reason !== 'hash_conflict' && reason !== 'not_found') throw error;
  }
}
