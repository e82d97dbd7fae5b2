import { isDeepStrictEqual } from 'node:util';
import {
  type Automation,
  type Definition,
  mostInChannel,
  nextAtOf,
} from '../../../automations/automation.ts';
import {
  createWebhookSecret,
  secretProblem,
  senderInText,
  senderTexts,
} from '../../../automations/webhook/senders.ts';
import type { Automations } from '../../../store/automations/automations.ts';
import { plainWords } from '../../text/typed-text.ts';
import type { CheckAutomation } from './check-automation.ts';
import {
  type AutomationFormView,
  readAutomationMetadata,
  readAutomationValues,
} from './form-content.ts';
import { type FormSources, gone } from './form-source.ts';
import { type AutomationAnswers, type Errors, keptOf, readAutomation } from './read-automation.ts';

type Deps = {
  automations: Pick<Automations, 'create' | 'find' | 'change' | 'replaceSecret'>;
  sources: FormSources;
  checkAutomation: CheckAutomation;
};

/** Saved automation. `secret` is a new secret that the app made, to show once. */
export type SavedAutomation = {
  automation: Automation;
  isNew: boolean;
  secret?: string | undefined;
};

export type SaveAutomation = (
  view: AutomationFormView,
  person: { teamId: string; userId: string },
) => Promise<SavedAutomation | { errors: Errors }>;

/** Creates the function that saves the form. The same view again is a repeated delivery, which saves nothing new. */
export function createAutomationSaver({
  automations,
  sources,
  checkAutomation,
}: Deps): SaveAutomation {
  return async (view, { teamId, userId }) => {
    const metadata = readAutomationMetadata(view);
    const asker = { teamId, userId, channelId: metadata.channelId };
    const source = await sources.read(asker, metadata);
    if ('sentence' in source) return { errors: { automation_name: plainWords(source.sentence) } };
    const read = readAutomation(readAutomationValues(view), keptOf(source));
    if ('errors' in read) return read;
    const { answers } = read;
    const { automation } = source;
    const { source: opened } = metadata;
    const isTakenOver = opened?.from === 'takeover';
    const errors = {
      ...(await checkAutomation(asker, answers)),
      ...secretError(answers, isTakenOver ? undefined : automation?.definition),
    };
    if (Object.keys(errors).length > 0) return { errors };
    if (!automation) return create(metadata.id, asker, answers);
    const revision = opened && 'revision' in opened ? opened.revision : automation.revision;
    return change({ ...automation, revision }, answers, { userId, isTakenOver });
  };

  async function create(
    id: string,
    { teamId, userId }: { teamId: string; userId: string },
    { name, channelId, definition, secret: pasted }: AutomationAnswers,
  ) {
    const earlier = await automations.find(teamId, id);
    const isWebhook = definition.trigger.kind === 'webhook';
    const made = isWebhook && !pasted ? createWebhookSecret() : undefined;
    const createdAt = Date.now();
    const nextAt = nextAtOf(definition, createdAt);
    const first = { id, teamId, ownerId: userId, channelId, name, definition, nextAt, createdAt };
    const secret = made ?? (isWebhook ? pasted : undefined);
    const outcome = await automations.create(first, userId, secret);
    if (outcome === 'name taken') return { errors: { automation_name: nameTaken } };
    if (outcome === 'channel full') return { errors: { channel: channelFull } };
    // Replace the secret of a repeated delivery, because the response with the first one was lost.
    if (earlier && made) await automations.replaceSecret(id, made, userId);
    return saved(teamId, id, { isNew: true, secret: made });
  }

  async function change(
    before: Automation,
    { name, channelId, definition, secret: pasted }: AutomationAnswers,
    { userId, isTakenOver }: { userId: string; isTakenOver: boolean },
  ) {
    const { id, teamId, revision } = before;
    const isWebhook = definition.trigger.kind === 'webhook';
    const keepsSecret = !isTakenOver && secretMaker(before.definition) === secretMaker(definition);
    const made = isWebhook && !keepsSecret && !pasted ? createWebhookSecret() : undefined;
    const secret = isWebhook && !keepsSecret ? (made ?? pasted) : undefined;
    const nextAt = nextAtOf(definition, Date.now());
    const next = {
      name,
      channelId,
      definition,
      nextAt,
      ...(isTakenOver && { ownerId: userId }),
      ...(secret !== undefined && { secret }),
    };
    const outcome = await automations.change(id, revision, next, userId);
    if (outcome === 'name taken') return { errors: { automation_name: nameTaken } };
    if (outcome === 'channel full') return { errors: { channel: channelFull } };
    if (outcome === 'outdated') {
      const now = await automations.find(teamId, id);
      const wanted = { name, channelId, definition };
      const isSaved =
        now?.changedBy === userId &&
        isDeepStrictEqual(wanted, {
          name: now.name,
          channelId: now.channelId,
          definition: now.definition,
        });
      if (!isSaved) return { errors: { automation_name: now ? outdated : gone } };
      // The response with the first secret was lost.
      if (made) await automations.replaceSecret(id, made, userId);
    }
    if (isWebhook && keepsSecret && pasted) await automations.replaceSecret(id, pasted, userId);
    return saved(teamId, id, { isNew: false, secret: made });
  }

  async function saved(
    teamId: string,
    id: string,
    { isNew, secret }: { isNew: boolean; secret: string | undefined },
  ) {
    const automation = await automations.find(teamId, id);
    return automation ? { automation, isNew, secret } : { errors: { automation_name: gone } };
  }
}

/** Says who makes the secret of a webhook. Undefined for other triggers. */
const secretMaker = ({ trigger }: Definition) =>
  trigger.kind === 'webhook'
    ? senderTexts[trigger.sender].makesSecret
      ? 'sender'
      : 'app'
    : undefined;

/** @param before definition whose secret is kept */
function secretError(
  { definition: { trigger }, secret }: AutomationAnswers,
  before: Definition | undefined,
): Errors {
  if (trigger.kind !== 'webhook') return {};
  const { sender } = trigger;
  const { makesSecret } = senderTexts[sender];
  if (secret) {
    const problem = secretProblem(sender, secret);
    return problem ? { secret: problem } : {};
  }
  const hasOne = before?.trigger.kind === 'webhook' && before.trigger.sender === sender;
  return makesSecret && !hasOne
    ? { secret: `Paste the secret that ${senderInText(sender)} shows.` }
    : {};
}

const nameTaken = 'Another automation in this channel has this name. Use another one.';
const channelFull = `This channel has ${mostInChannel} automations already, and no more fit. Use another channel, or delete one.`;
const outdated = 'Someone changed this automation meanwhile. Close this form and open it again.';
