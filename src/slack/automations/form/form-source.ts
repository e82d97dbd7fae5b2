/** Reads what the form is filled from: an automation, or a finished run. */
import { readableLine, readableText } from 'base/readable-text';
import type { Automation, Definition } from '../../../automations/automation.ts';
import { ownAuthority } from '../../../requests/authority.ts';
import type { Automations } from '../../../store/automations/automations.ts';
import type { Settings } from '../../../store/people/settings.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import { takeOver } from '../../configuration/keyed-servers.ts';
import { readPresetReference } from '../../configuration/presets.ts';
import type { Asker } from '../../people/setting.ts';
import type { RunAccess } from '../../runs/reading/run-access.ts';
import { titleFrom } from '../../runs/showing/run-label.ts';
import { code, shorten } from '../../text/escape-text.ts';
import type { AutomationRights } from '../automation-rights.ts';
import { nameLimit } from './automation-form.ts';
import type { AutomationMetadata } from './form-content.ts';

/** Source of the values with which the form opens. */
export type AutomationDraft =
  /** Nothing, or the text of a schedule as someone typed it, such as "every weekday at 9:00". */
  | { from?: undefined; when?: string }
  /** An automation to change, or to take over: the person who saves the form becomes its owner. */
  | { from: 'automation' | 'takeover'; automation: Automation }
  /** A finished run to make recurring. */
  | { from: 'run'; request: RunRequest };

/** Values with which the form opens. Options and a long prompt that it doesn't show are read again when it's saved. */
export type FormSource = {
  name: string;
  channelId: string;
  definition: Partial<Definition>;
  /** Automation that saving the form changes. */
  automation?: Automation;
  /** Notices above the fields, in mrkdwn. */
  notices: readonly string[];
};

/** Values for the form, or a sentence that says why it can't be used. */
type ReadSource = FormSource | { sentence: string };

export function createFormSources(deps: {
  automations: Pick<Automations, 'find'>;
  settings: Pick<Settings, 'readLayers' | 'list'>;
  access: Pick<RunAccess, 'seeRequest'>;
  automationRights: Pick<AutomationRights, 'denyManage'>;
}) {
  const { automations, settings, access, automationRights } = deps;

  async function ofRun(asker: Asker, request: RunRequest): Promise<FormSource> {
    const { channelId, prompt, title, context } = request;
    const { config, left } = await takeOver(settings, { ...asker, channelId }, request);
    return {
      name: nameFrom(title || prompt),
      channelId,
      definition: { prompt, title: title === titleFrom(prompt) ? '' : title, config },
      notices: [
        ...(left.length > 0 ? [withoutServers] : []),
        ...(context ? ["The Slack messages that the run got aren't included."] : []),
      ],
    };
  }

  async function forNewOwner(asker: Asker, automation: Automation): Promise<FormSource> {
    const { channelId, ownerId, name, definition, pause } = automation;
    const { preset, config: before } = definition;
    const run = { authority: ownAuthority(ownerId), config: before };
    const { config, left } = await takeOver(settings, { ...asker, channelId }, run);
    const personal = readPresetReference(preset ?? '');
    const isLost = personal?.scope === 'person';
    return {
      name,
      channelId,
      definition: {
        ...definition,
        prompt: readableText(definition.prompt),
        config,
        preset: isLost ? null : preset,
      },
      automation,
      notices: [
        `If you save, you become the owner instead of <@${ownerId}>. Its runs then have your permissions and use your keys and caps.`,
        ...(definition.trigger.kind === 'webhook' ? [secretEnds] : []),
        ...(pause ? [`⏸️ It's paused. Saving turns it on again. ${pause.sentence}`] : []),
        ...(isLost
          ? [`<@${ownerId}>'s own preset ${code(personal.name, 60)} isn't included.`]
          : []),
        ...(left.length > 0 ? [withoutServers] : []),
      ],
    };
  }

  async function ofAutomation(
    asker: Asker,
    automation: Automation,
    from: 'automation' | 'takeover',
  ): Promise<ReadSource> {
    const act = from === 'takeover' ? 'takeOver' : 'edit';
    const sentence = await automationRights.denyManage(asker, automation, act);
    if (sentence) return { sentence };
    if (from === 'takeover') return forNewOwner(asker, automation);
    const { name, channelId, definition, pause } = automation;
    const paused = pause && `⏸️ This automation is paused. ${pause.sentence}`;
    return { name, channelId, definition, automation, notices: paused ? [paused] : [] };
  }

  return {
    /** Returns the values for a draft, if the person can use it. */
    async ofDraft(asker: Asker, draft: AutomationDraft): Promise<ReadSource> {
      if (draft.from === 'run') return ofRun(asker, draft.request);
      if (draft.from) return ofAutomation(asker, draft.automation, draft.from);
      return { ...nothing, channelId: asker.channelId };
    },

    /** Reads the values again for an open form. Checks the person's rights again. */
    async read(asker: Asker, { id, source, channelId }: AutomationMetadata): Promise<ReadSource> {
      if (!source) return { ...nothing, channelId };
      if (source.from === 'run') {
        // Use the form's conversation, because the run's visibility was checked with it on opening.
        const viewer = { ...asker, conversationId: channelId };
        const found = await access.seeRequest(viewer, source.requestId);
        return 'request' in found ? ofRun(asker, found.request) : found;
      }
      const automation = await automations.find(asker.teamId, id);
      return automation ? ofAutomation(asker, automation, source.from) : { sentence: gone };
    },
  };
}

const nothing = { name: '', definition: {}, notices: [] };

export type FormSources = ReturnType<typeof createFormSources>;

/** Returns a name from the first line of a text. `number` is added to a name that is taken. */
export function nameFrom(text: string, number = 1): string {
  const suffix = number === 1 ? '' : ` ${number}`;
  return `${shorten(readableLine(titleFrom(text)), nameLimit - suffix.length)}${suffix}`;
}

const secretEnds =
  'Others can know the secret of its webhook, so that secret stops working when you save. The sender then needs a new one.';
const withoutServers =
  'MCP servers with keys are left out, because the keys belong to someone else. Save them in a preset, and choose it below.';
export const gone = 'This automation was deleted.';
