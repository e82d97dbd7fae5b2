import { withPatience } from '../../lib/patience.ts';
import type { Draft } from '../../store/drafts.ts';
import type { RequestOrigin } from '../../store/request-origin.ts';
import type { Requests } from '../../store/requests.ts';
import type { Settings } from '../../store/settings.ts';
import type { Submissions } from '../../store/submissions.ts';
import { type RunCatalog, whyNoEnvironment } from '../configuration/run-catalog.ts';
import { configFields, defaultLayers, defaultsKey } from '../configuration/run-defaults.ts';
import { keepPreset, whyNotKeepPreset } from '../configuration/save-preset.ts';
import { ackWaitMs } from '../connection/acknowledge-in-time.ts';
import type { People } from '../people/people.ts';
import type { Rights } from '../people/rights.ts';
import type { CheckPosting } from '../posting/post-check.ts';
import type { ReadPermalink } from '../posting/source-message.ts';
import { readLineage } from '../runs/lineage.ts';
import { joinPrompt, unmask } from '../runs/prompt-context.ts';
import { busyChannelText, type RunStart, type StartRun, titleFrom } from '../runs/run-start.ts';
import { type FormAnswers, type FormView, originOf, readStartRunForm } from './read-form.ts';
import { settleAnswers } from './settle-answers.ts';

export type SubmitParts = {
  requests: Pick<Requests, 'find'>;
  settings: Pick<Settings, 'read' | 'write' | 'list'>;
  submissions: Submissions;
  catalog: RunCatalog;
  people: Pick<People, 'look'>;
  rights: Pick<Rights, 'refusePreset'>;
  startRun: StartRun;
  checkPosting: CheckPosting;
  readPermalink: ReadPermalink;
};

/** What was accepted, or a sentence for every field that is wrong. */
export type Submitted =
  | {
      origin: RequestOrigin;
      channelId: string;
      /** For the person, when the run message will take a while. */
      busyText: string | undefined;
    }
  | { errors: Record<string, string> };

/** From the form's fields to an accepted request. All errors come at once. */
export async function submitForm(
  parts: SubmitParts,
  view: FormView & { id: string },
  person: { teamId: string; userId: string },
): Promise<Submitted> {
  const { answers, errors } = readStartRunForm(view);
  const { metadata, channelId, save } = answers;
  const asker = { ...person, channelId: metadata.channelId };
  const { again } = metadata.origin;
  // Together: each may wait for a commit of others.
  const [{ draft, layers }, before] = await Promise.all([
    parts.submissions.read({ ...asker, draftId: metadata.draftId, key: defaultsKey }),
    again?.requestId ? parts.requests.find(again.requestId) : undefined,
  ]);
  const earlier = draft?.repeats ?? before;
  const known = { defaults: defaultLayers(layers), earlier: earlier?.config };
  const { settled, unsettled } = await settleAnswers(parts, asker, answers, known);
  const isWrong = configFields.some((field) => field in errors);
  const { prompt, context } = promptOf(answers, draft);
  // A form is submitted once, however often Slack delivers it.
  const id = `${person.teamId}-${view.id}`;
  const [closed, source, unlisted, unkept, notWhole, lineage] = await Promise.all([
    parts.checkPosting(channelId),
    readSource(parts, metadata.origin.source, draft?.permalink),
    settled && whyNoEnvironment(parts.catalog, settled.config.environment_id),
    save &&
      whyNotKeepPreset(parts, asker, { ...save, config: isWrong ? undefined : settled?.config }),
    whyNotWhole(parts, id, answers, draft),
    again &&
      settled &&
      readLineage(parts.readPermalink, again, {
        before,
        earlier,
        now: { prompt, title: titleFrom(answers.title || prompt), ...settled },
      }),
    // What decides whether this person may start runs.
    withPatience(parts.people.look([person.userId]), ackWaitMs),
  ]);
  const wrong = {
    ...errors,
    ...(closed && { channel: closed }),
    ...(unlisted && { environment_id: unlisted }),
    ...(unkept && { save_as: unkept }),
    ...notWhole,
    ...unsettled,
  };
  if (!settled || Object.keys(wrong).length > 0) return { errors: wrong };
  const { config, fields } = settled;
  const origin = {
    ...originOf(answers),
    ...(source && { source }),
    fields,
    ...(context && { context }),
    ...(lineage && { again: lineage }),
  };
  // First: once the run is accepted, nothing may fail any more. Submitted again, it is the same preset.
  if (save) await keepPreset(parts, asker, { name: save.name, scope: save.scope, config });
  const outcome = await parts.startRun({
    id,
    teamId: person.teamId,
    creatorId: person.userId,
    channelId,
    title: answers.title,
    prompt,
    config,
    origin,
    lookupWaitMs: 0,
  });
  if (outcome.outcome === 'refused') return { errors: { prompt: outcome.sentence } };
  return { origin, channelId, busyText: busyChannelText(outcome) };
}

/** What goes along is kept for the form: it may not be there yet, or not any more. */
async function whyNotWhole(
  { requests }: Pick<SubmitParts, 'requests'>,
  id: string,
  { ticks, isContextShown }: FormAnswers,
  draft: Draft | undefined,
): Promise<Record<string, string>> {
  if (draft) {
    const isRead = draft.context !== '' && isContextShown;
    return draft.isWanted && !isRead ? { prompt: stillReading } : {};
  }
  const isWanted = (...wanted: string[]) => ticks.some((tick) => wanted.includes(tick));
  if (!isWanted('rest', 'thread', 'secrets')) return {};
  // Delivered once more: what it brought is in its request.
  if (await requests.find(id)) return {};
  return {
    ...(isWanted('rest') && { rest: tooOld }),
    ...(isWanted('thread', 'secrets') && { context: tooOld }),
  };
}

const stillReading =
  'The thread that goes along is still being read: press Start again in a moment. If that does not help, close this and begin anew.';
const tooOld =
  'This form has been open for more than an hour, and what goes along is not kept for longer. Copy what you wrote and open it anew, or take the tick away.';

/** The source with its permalink, also when the form was submitted before that was learnt. */
async function readSource(
  { readPermalink }: SubmitParts,
  source: RequestOrigin['source'],
  learnt: string | undefined,
): Promise<RequestOrigin['source']> {
  if (!source) return undefined;
  const permalink = learnt ?? (await withPatience(readPermalink(source), ackWaitMs));
  return { ...source, ...(permalink && { permalink }) };
}

/** The prompt with what goes along from Slack, and what the request remembers of that. */
function promptOf(
  answers: FormAnswers,
  draft: Draft | undefined,
): Pick<RunStart, 'prompt'> & Pick<RequestOrigin, 'context'> {
  const written = answers.prompt + (answers.ticks.includes('rest') ? (draft?.rest ?? '') : '');
  const hasContext = draft && (draft.context || Object.keys(draft.secrets).length > 0);
  if (!hasContext) return { prompt: written };
  const hasThread = answers.ticks.includes('thread');
  const isUnmasked = answers.ticks.includes('secrets');
  const quoted = hasThread ? draft.context : '';
  const joined = joinPrompt(written, quoted);
  const masked = Object.keys(draft.secrets).filter((mask) => joined.includes(mask)).length;
  return {
    prompt: isUnmasked ? unmask(joined, draft.secrets) : joined,
    context: {
      messages: hasThread ? draft.messages : 0,
      left: hasThread ? draft.left : 0,
      characters: [...quoted].length,
      masked: isUnmasked ? 0 : masked,
    },
  };
}
