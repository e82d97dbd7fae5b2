import { dayAt } from 'base/time/local-time';
import type { Automation } from '../../automations/automation.ts';
import type { AutomationPlace, FiringOutcome, FiringToStart } from '../../automations/port.ts';
import { defused, renderTemplate } from '../../automations/template.ts';
import { ownAuthority } from '../../requests/authority.ts';
import type { RequestOrigin } from '../../requests/origin.ts';
import type { Outbox } from '../../store/outbox/outbox.ts';
import type { Settings } from '../../store/people/settings.ts';
import { noSuchPreset, readPresetReference } from '../configuration/presets.ts';
import type { People } from '../people/people.ts';
import type { CheckPosting } from '../posting/channel-checks.ts';
import { readTransientFailure } from '../posting/slack-failure.ts';
import type { MarkSource } from '../posting/source-message.ts';
import type { StartRun } from '../runs/acting/run-start.ts';
import { titleFrom } from '../runs/showing/run-label.ts';
import { resolveAutomation } from './automation-config.ts';
import type { AutomationRights } from './automation-rights.ts';
import type { FiringChecks } from './check-firing.ts';
import type { ReadFiringMessage } from './firing-message.ts';
import { automationThreadId, newAutomationThread } from './posts/automation-posts.ts';

type PlaceDeps = {
  settings: Pick<Settings, 'readLayers' | 'list'>;
  outbox: Pick<Outbox, 'plan' | 'find'>;
  people: Pick<People, 'recall'>;
  automationRights: Pick<AutomationRights, 'maxStartsPerHour'>;
  checks: FiringChecks;
  readFiringMessage: ReadFiringMessage;
  checkPosting: CheckPosting;
  /** Starts runs with rights that wait for Slack. */
  startRun: StartRun;
  markSource: MarkSource;
  wake(): void;
};

/** Time until the next try while Slack doesn't answer, in ms. */
const againInMs = 10_000;
/** Time until the next look for the message whose thread shows the runs, in ms. */
const threadAgainInMs = 1_000;

/**
 * Creates the place that starts the runs of automations. Each run starts as its owner, with the same checks and limits
 * as a command that the owner types in the channel.
 */
export function createAutomationPlace(deps: PlaceDeps): AutomationPlace {
  return {
    async start(started) {
      try {
        const outcome = await startFiring(deps, started);
        return outcome === 'later' ? after(againInMs) : outcome;
      } catch (error) {
        const passing = readTransientFailure(error);
        if (!passing) throw error;
        return after(Math.max(passing.retryAfterMs, againInMs));
      }
    },
    maxStartsPerHour: ({ teamId, ownerId, channelId }) =>
      deps.automationRights.maxStartsPerHour({ teamId, userId: ownerId }, channelId),
  };
}

const after = (waitMs: number): FiringOutcome => ({
  outcome: 'later',
  againAt: Date.now() + waitMs,
});

async function startFiring(
  deps: PlaceDeps,
  { automation, firing, requestId, payload }: FiringToStart,
): Promise<FiringOutcome | 'later'> {
  const { id, name, teamId, ownerId, channelId, definition } = automation;
  const { fired } = firing.content;
  const checked =
    (await deps.checks.checkOwner(automation)) ??
    (await deps.checks.checkAuthor(automation, firing));
  if (checked) return checked;
  const closed = await deps.checkPosting(channelId);
  if (closed) return { outcome: 'failed', sentence: closed };
  const message = await deps.readFiringMessage(automation, firing);
  if (message === 'gone')
    return { outcome: 'unmatched', sentence: "Its message was deleted, or doesn't match anymore." };
  const owner = { teamId, userId: ownerId, channelId };
  const resolved = await resolveAutomation(deps.settings, owner, definition);
  if (!resolved) return { outcome: 'failed', sentence: presetGone(definition.preset ?? '') };
  const date = dayAt(firing.happenedAt, zoneOf(deps, automation));
  const values = { payload, date, ...(message && { message: message.values }) };
  const prompt = renderTemplate(definition.prompt, values).text.trim();
  if (!prompt) return { outcome: 'failed', sentence: emptyPrompt };
  const thread = message ? {} : await threadOfRuns(deps, automation);
  if (thread === 'later') return after(threadAgainInMs);
  const payloadOf = fired.kind === 'webhook' ? firing.id : 'ofFiring' in fired && fired.ofFiring;
  const origin: RequestOrigin = {
    kind: 'automation',
    ...thread,
    ...message?.origin,
    fields: resolved.fields,
    automation: {
      id,
      name,
      firingId: firing.id,
      ...(payloadOf && { payloadOf }),
      trigger: fired.kind,
      ...('by' in fired && { by: fired.by }),
    },
  };
  const outcome = await deps.startRun({
    id: requestId,
    teamId,
    authority: ownAuthority(ownerId),
    channelId,
    prompt,
    context: message?.context ?? null,
    title: titleFrom(defused(renderTemplate(definition.title, values).text || prompt)),
    config: resolved.config,
    origin,
  });
  if (outcome.outcome === 'rejected')
    return { outcome: rejections[outcome.by], sentence: outcome.sentence };
  await deps.markSource(origin);
  return { outcome: 'started' };
}

const rejections = { rights: 'not allowed', limits: 'skipped', connection: 'failed' } as const;
const emptyPrompt =
  'The prompt is empty, because what fired the automation has none of its values. Edit the prompt.';

const presetGone = (preset: string) => noSuchPreset(readPresetReference(preset)?.name ?? preset);

const zoneOf = ({ people }: Pick<PlaceDeps, 'people'>, { ownerId, definition }: Automation) =>
  definition.trigger.kind === 'schedule'
    ? definition.trigger.timeZone
    : (people.recall([ownerId]).get(ownerId)?.timeZone ?? 'UTC');

/**
 * Returns the thread in which the automation shows its runs. Its first message is posted once. Without it, because Slack
 * rejected it, each run gets a new message.
 */
async function threadOfRuns(
  { outbox, wake }: Pick<PlaceDeps, 'outbox' | 'wake'>,
  automation: Automation,
): Promise<{ threadTs?: string } | 'later'> {
  if (automation.definition.show !== 'thread') return {};
  if ((await outbox.plan([newAutomationThread(automation)])) > 0) wake();
  const post = await outbox.find(automationThreadId(automation));
  if (post?.place) return { threadTs: post.place.ts };
  return post?.state === 'waiting' ? 'later' : {};
}
