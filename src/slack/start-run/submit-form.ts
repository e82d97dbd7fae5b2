import type { AgentConfig } from '../../runs-api/contract.ts';
import type { Draft, Drafts } from '../../store/drafts.ts';
import type { RequestOrigin } from '../../store/request-origin.ts';
import type { Requests } from '../../store/requests.ts';
import type { Settings } from '../../store/settings.ts';
import { describeChanges } from '../describe-changes.ts';
import type { CheckPosting } from '../post-check.ts';
import { findPreset, type Preset, savePreset } from '../presets.ts';
import { joinPrompt, unmask } from '../prompt-context.ts';
import { type Asker, type ResolvedConfig, readDefaultLayers } from '../run-defaults.ts';
import type { RunStart, StartRun } from '../run-start.ts';
import { settleConfig } from './settle-config.ts';
import { type FormAnswers, type FormView, originOf, readStartRunForm } from './start-run-form.ts';

export type SubmitParts = {
  requests: Pick<Requests, 'find'>;
  settings: Pick<Settings, 'read' | 'write' | 'list'>;
  drafts: Drafts;
  startRun: StartRun;
  checkPosting: CheckPosting;
};

/** What was accepted, or a sentence for every field that is wrong. */
export type Submitted = { origin: RequestOrigin } | { errors: Record<string, string> };

/** From the form's fields to an accepted request. All errors come at once. */
export async function submitForm(
  parts: SubmitParts,
  view: FormView & { id: string },
  person: { teamId: string; userId: string },
): Promise<Submitted> {
  const read = readStartRunForm(view);
  if (!read.ok) return { errors: read.errors };
  const { answers } = read;
  const { metadata, channelId } = answers;
  const asker = { ...person, channelId: metadata.channelId };
  const [closed, settled] = await Promise.all([
    parts.checkPosting(channelId),
    settle(parts, asker, answers),
  ]);
  const wrong = {
    ...(closed && { channel: closed }),
    ...(typeof settled === 'string' && { preset: settled }),
  };
  if (typeof settled === 'string' || closed) return { errors: wrong };
  const draft = metadata.draftId ? await parts.drafts.read(metadata.draftId) : undefined;
  const { prompt, context } = promptOf(answers, draft);
  const { config, fields } = settled;
  const again = await lineage(parts, metadata.origin, { prompt, config });
  const origin = {
    ...originOf(answers),
    fields,
    ...(context && { context }),
    ...(again && { again }),
  };
  const outcome = await parts.startRun({
    // A form is submitted once, however often Slack delivers it.
    id: `${person.teamId}-${view.id}`,
    teamId: person.teamId,
    creatorId: person.userId,
    channelId,
    title: answers.title,
    prompt,
    config,
    origin,
  });
  if (outcome.outcome === 'refused') return { errors: { prompt: outcome.sentence } };
  if (metadata.draftId) await parts.drafts.remove(metadata.draftId);
  if (answers.saveAs) await keep(parts, asker, answers.saveAs, settled.config);
  return { origin };
}

async function settle(
  { settings }: SubmitParts,
  asker: Asker,
  answers: FormAnswers,
): Promise<ResolvedConfig | string> {
  const layers = answers.metadata.isExact ? [] : await readDefaultLayers(settings, asker);
  const { preset: name } = answers;
  const preset = name ? await findPreset(settings, asker, name) : undefined;
  if (name && !preset) return `There is no preset called ${name}.`;
  const layer = preset && { origin: `preset ${preset.name}`, config: preset.config };
  return settleConfig(answers.config, layers, layer);
}

/** The prompt with what goes along from Slack, and what the request remembers of that. */
function promptOf(
  answers: FormAnswers,
  draft: Draft | undefined,
): Pick<RunStart, 'prompt'> & Pick<RequestOrigin, 'context'> {
  if (!draft) return { prompt: answers.prompt };
  const hasThread = answers.ticks.includes('thread');
  const isUnmasked = answers.ticks.includes('secrets');
  const quoted = hasThread ? draft.context : '';
  const joined = joinPrompt(answers.prompt, quoted);
  const masked = Object.keys(draft.secrets).filter((mask) => joined.includes(mask)).length;
  return {
    prompt: isUnmasked ? unmask(joined, draft.secrets) : joined,
    context: {
      messages: hasThread ? draft.messages : 0,
      characters: [...quoted].length,
      masked: isUnmasked ? 0 : masked,
    },
  };
}

/** For a run that repeats another: what differs. */
async function lineage(
  { requests }: SubmitParts,
  { again }: RequestOrigin,
  now: Pick<RunStart, 'prompt' | 'config'>,
): Promise<RequestOrigin['again']> {
  if (!again) return undefined;
  const before = await requests.find(again.requestId);
  return { ...again, changes: before ? describeChanges(before, now) : [] };
}

function keep(
  { settings }: SubmitParts,
  asker: Asker,
  name: string,
  config: AgentConfig,
): Promise<void> {
  const preset: Preset = { scope: 'person', name, config };
  return savePreset(settings, asker, preset);
}
