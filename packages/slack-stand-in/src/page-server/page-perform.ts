import { type JsonObject, objectsIn, textIn } from '../lib/json.ts';
import type { Actor } from '../people/actor.ts';
import type { Outcome, Place } from '../people/outcome.ts';
import type { View } from '../world/world.ts';
import type {
  ElementValue,
  Option,
  OptionGroup,
  PageAction,
  PageAnswer,
  Surface,
  Touched,
} from './page-protocol.ts';

/** Actions that the page can take as another app's bot. */
const botActions = new Set(['send', 'react', 'edit', 'deleteMessage']);

/** Carries out an action of the page, as the person whom the page shows. */
export async function performAction(
  actor: Actor,
  action: PageAction,
  { openDirect }: { openDirect: (withPerson: string) => string },
): Promise<PageAnswer> {
  if (actor.person.role === 'bot' && !botActions.has(action.type))
    return { ok: false, error: 'Bots only post messages and reactions.' };
  switch (action.type) {
    case 'send':
      return await send(actor, action);
    case 'act': {
      const place = placeOf(actor, action.surface);
      enterAll(actor, action.surface, action.touched);
      const value = action.value && heldValue(action.value);
      const { blockId, actionId } = action;
      return answerOf(await actor.clicks(place, { blockId, actionId }, value), 'The app');
    }
    case 'search': {
      const place = placeOf(actor, action.surface);
      enterAll(actor, action.surface, action.touched);
      const { blockId, actionId, query } = action;
      return {
        ok: true,
        groups: readGroups(await actor.offers({ blockId, actionId }, query, place)),
      };
    }
    case 'submit':
      return await submit(actor, action.viewId, action.touched);
    case 'close':
      openView(actor, action.viewId);
      await actor.closesModal({ all: action.everything });
      return { ok: true };
    case 'messageShortcut': {
      const { callbackId, channel: channelId, ts } = action;
      return answerOf(await actor.usesMessageShortcut(callbackId, { channelId, ts }), 'The app');
    }
    case 'globalShortcut': {
      const { callbackId, channel: at } = action;
      return answerOf(await actor.usesGlobalShortcut(callbackId, { at }), 'The app');
    }
    case 'join':
      await actor.joins(action.channel);
      return { ok: true };
    case 'openDirect':
      return { ok: true, channel: openDirect(action.person) };
    case 'openApp':
      await (action.tab === 'home' ? actor.opensHome() : actor.opensMessages(action));
      return { ok: true };
    case 'react':
      if (action.on) await actor.reacts(action.channel, action.ts, action.name);
      else await actor.unreacts(action.channel, action.ts, action.name);
      return { ok: true };
    case 'edit':
      await actor.edits(action.channel, action.ts, action.text);
      return { ok: true };
    case 'deleteMessage':
      await actor.deletes(action.channel, action.ts);
      return { ok: true };
    case 'openEntity':
      await actor.opensEntity(action.channel, action.ts, action.entity);
      return { ok: true };
    case 'refreshEntity':
      await actor.refreshesEntity();
      return { ok: true };
    case 'closeEntity':
      actor.closesEntity();
      return { ok: true };
    case 'actOnEntity':
      return answerOf(await actor.clicksInEntity(action.actionId), 'The app');
    case 'stopSession':
      await actor.stops(action.channel, action.threadTs);
      return { ok: true };
    case 'setAppInChannel':
      if (action.on) await actor.invitesApp(action.channel);
      else await actor.removesApp(action.channel);
      return { ok: true };
  }
}

type Send = Extract<PageAction, { type: 'send' }>;

async function send(actor: Actor, { channel, text, ...more }: Send): Promise<PageAnswer> {
  const { threadTs, inView } = more;
  const { outcome, message } = await actor.types(channel, text, { threadTs, inView });
  // Return success for a posted message, because only commands can fail.
  if (message) return { ok: true };
  return answerOf(outcome, text.split(/\s/)[0] ?? 'The command');
}

async function submit(actor: Actor, viewId: string, touched: Touched): Promise<PageAnswer> {
  openView(actor, viewId);
  enterAll(actor, { kind: 'view', viewId }, touched);
  const { errors, error } = await actor.submits();
  if (error) return { ok: false, error: sentenceFor(error, 'The app') };
  return { ok: true, ...(errors && { fieldErrors: errors }) };
}

/** Returns a sentence that explains an error to the person. Slack's client would show only the error's name. */
function sentenceFor(error: string, who: string): string {
  switch (error) {
    case 'operation_timeout':
      return `${who} didn't answer within 3 seconds (operation_timeout).`;
    case 'dispatch_failed':
      return `${who} failed or isn't connected (dispatch_failed). Check that the app is running.`;
    case 'not_in_channel':
      return "You're not in this channel. Join it to post.";
    default:
      return error;
  }
}

function answerOf(outcome: Outcome, who: string): PageAnswer {
  return outcome.acked ? { ok: true } : { ok: false, error: sentenceFor(outcome.error, who) };
}

function openView(actor: Actor, viewId: string): View {
  const views = [...actor.modals(), actor.home()];
  const view = views.find((each) => each?.id === viewId);
  if (!view) throw new Error('This modal is already closed.');
  return view;
}

function placeOf(actor: Actor, surface: Surface): Place {
  if (surface.kind === 'view') return { view: openView(actor, surface.viewId) };
  return { channelId: surface.channel, messageTs: surface.ts };
}

/**
 * Stores the entered values before the form is sent to the app. Skips elements that aren't in the view anymore after an
 * update.
 */
function enterAll(actor: Actor, surface: Surface, touched: Touched): void {
  if (surface.kind !== 'view') return;
  const view = openView(actor, surface.viewId);
  for (const [blockId, actions] of Object.entries(touched)) {
    for (const [actionId, value] of Object.entries(actions)) {
      const isThere = view.values[blockId]?.[actionId] !== undefined;
      if (isThere) actor.enters(view, { blockId, actionId }, heldValue(value));
    }
  }
}

/** Returns the value without its type and key. It's a text, an option, IDs or a date. */
function heldValue({ type: _, ...held }: ElementValue): unknown {
  return Object.values(held).find((value) => value !== undefined && value !== null) ?? null;
}

function readGroups(offered: JsonObject): OptionGroup[] {
  const groups = objectsIn(offered['option_groups']).map((group) => {
    const label = textIn(objectsIn(group['label'])[0] ?? {}, 'text');
    return { ...(label && { label }), options: objectsIn(group['options']).flatMap(readOption) };
  });
  if (groups.length > 0) return groups;
  return [{ options: objectsIn(offered['options']).flatMap(readOption) }];
}

function readOption(option: JsonObject): Option[] {
  const text = objectsIn(option['text'])[0];
  const label = text && textIn(text, 'text');
  const value = textIn(option, 'value');
  if (label === undefined || value === undefined) return [];
  return [{ ...option, text: { ...text, type: 'plain_text', text: label }, value }];
}
