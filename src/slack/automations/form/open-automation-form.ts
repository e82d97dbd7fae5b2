import type { WebClient } from '@slack/web-api';
import { withSoftTimeout } from 'base/time/soft-timeout';
import { newAutomationId } from '../../../automations/automation.ts';
import type { Settings } from '../../../store/people/settings.ts';
import { offeredConnections } from '../../configuration/form-search.ts';
import { listPresets, pickedPreset } from '../../configuration/presets.ts';
import type { RunConnections } from '../../configuration/run-connections.ts';
import {
  defaultEnvironmentOf,
  describeConfig,
  readDefaultLayers,
} from '../../configuration/run-defaults.ts';
import { withoutSecrets } from '../../configuration/without-secrets.ts';
import type { People } from '../../people/people.ts';
import type { Rights } from '../../people/rights.ts';
import type { Asker } from '../../people/setting.ts';
import { answerPrivately, answerView } from '../../posting/answer-privately.ts';
import { showModal } from '../../posting/modals.ts';
import type { Clicked } from '../../runs/acting/click.ts';
import type { RunAccess } from '../../runs/reading/run-access.ts';
import { cutToInput } from '../../text/form-inputs.ts';
import { type AllowedBot, readAllowedBots } from '../allowed-bots.ts';
import type { AutomationRights } from '../automation-rights.ts';
import { renderAutomationForm } from './automation-form.ts';
import type {
  AutomationFormContent,
  AutomationMetadata,
  AutomationValues,
  HookAddress,
} from './form-content.ts';
import type { AutomationDraft, FormSource, FormSources } from './form-source.ts';
import { automationValues, splitConfig } from './read-automation.ts';
import { listOf } from './trigger-inputs.ts';

/**
 * Opens the form in which people create, edit and test an automation. The channel of `asker` is the initial channel.
 * `isOnModal` means that a button in a modal was selected, so the form opens on top of it.
 */
export type OpenAutomationForm = (
  client: WebClient,
  to: { triggerId: string; asker: Asker; isOnModal?: boolean },
  draft: AutomationDraft,
) => Promise<void>;

export const createAutomationFormOpener =
  (deps: {
    sources: FormSources;
    fillForm: FillForm;
    readTimeZone: ReadTimeZone;
    promptRights: Pick<Rights, 'denyForm'>;
    automationRights: Pick<AutomationRights, 'defaultStartsPerHour'>;
  }): OpenAutomationForm =>
  async (client, { triggerId, asker, isOnModal = false }, draft) => {
    const { sources, fillForm, readTimeZone, promptRights, automationRights } = deps;
    const body = { trigger_id: triggerId, view: { type: isOnModal ? 'modal' : 'home' } };
    const [denial, source, timeZone, startsPerHour] = await Promise.all([
      promptRights.denyForm(asker),
      sources.ofDraft(asker, draft),
      readTimeZone(asker),
      automationRights.defaultStartsPerHour(asker, asker.channelId),
    ]);
    if (denial || 'sentence' in source) {
      const sentence = denial ?? ('sentence' in source ? source.sentence : '');
      await showModal({ client, body }, answerView(`🔒 ${sentence}`));
      return;
    }
    const metadata = { channelId: asker.channelId, ...referenceOf(draft), version: 0 };
    const values = {
      automation_name: source.name,
      channel: source.channelId,
      time_zone: timeZone,
      starts_per_hour: `${startsPerHour}`,
      ...automationValues(source.definition),
      ...(draft.from === undefined && draft.when && { when: draft.when }),
    };
    const content = await fillForm(asker, { metadata, values, source });
    await showModal({ client, body }, renderAutomationForm(content));
  };

/** Opens the form of an automation, filled from a finished run. */
export type MakeRecurring = (click: Clicked, requestId: string) => Promise<void>;

export const createMakeRecurring =
  (access: Pick<RunAccess, 'seeRequest'>, openAutomationForm: OpenAutomationForm): MakeRecurring =>
  async (click, requestId) => {
    const { client, body, viewer } = click;
    const found = await access.seeRequest(viewer, requestId);
    if ('sentence' in found) return answerPrivately(click, { text: found.sentence });
    const { request } = found;
    if (request.step !== 'ended') return answerPrivately(click, { text: notEnded });
    const asker = { ...viewer, channelId: request.channelId };
    const isOnModal = body.view?.type === 'modal';
    const to = { triggerId: body.trigger_id, asker, isOnModal };
    await openAutomationForm(client, to, { from: 'run', request });
  };

const notEnded = "This run hasn't ended yet. When it has, select *Make recurring* again.";

export type ReadTimeZone = (asker: Asker) => Promise<string>;

/** Creates the reader of people's time zones. It returns UTC if Slack doesn't answer in time. */
export const createTimeZoneReader =
  ({ people, ackWaitMs }: { people: Pick<People, 'look'>; ackWaitMs: number }): ReadTimeZone =>
  async ({ userId }) => {
    const known = await withSoftTimeout(people.look([userId]), ackWaitMs);
    return known?.get(userId)?.timeZone ?? 'UTC';
  };

function referenceOf(draft: AutomationDraft): Pick<AutomationMetadata, 'id' | 'source'> {
  const { from } = draft;
  if (from === undefined) return { id: newAutomationId() };
  if (from === 'run')
    return { id: newAutomationId(), source: { from, requestId: draft.request.id } };
  const { id, revision } = draft.automation;
  return { id, source: { from, revision } };
}

/** Adds to the values what else the form shows. */
export type FillForm = (
  asker: Asker,
  form: {
    metadata: AutomationMetadata;
    values: AutomationValues;
    source: FormSource;
    names?: ReadonlyMap<string, string>;
  },
) => Promise<AutomationFormContent>;

export const createFormFiller =
  (deps: {
    settings: Settings;
    connections: Pick<RunConnections, 'names'>;
    promptRights: Pick<Rights, 'policyFor'>;
    hooks: HookAddress;
  }): FillForm =>
  async (asker, { metadata, values, source, names = new Map() }) => {
    const { settings, connections, promptRights, hooks } = deps;
    const place = { ...asker, channelId: values.channel || asker.channelId };
    const [bots, layers, presets, offered, policy] = await Promise.all([
      readAllowedBots(settings, asker.teamId),
      readDefaultLayers(settings, place),
      listPresets(settings, place),
      connections.names(),
      promptRights.policyFor(place),
    ]);
    const { kept } = splitConfig(source.definition.config ?? {});
    return {
      metadata,
      values,
      notices: source.notices,
      bots: [...bots, ...notAllowed(listOf(values.bots), bots)],
      names: new Map([...presets.map(pickedPreset), ...names]),
      connections: offeredConnections(policy, offered),
      defaultEnvironment: defaultEnvironmentOf(layers),
      kept: Object.keys(kept).length > 0 ? describeConfig(kept) : undefined,
      ...(metadata.source?.from === 'takeover' && {
        keptInFull: JSON.stringify(withoutSecrets(kept), undefined, 2),
      }),
      rest: cutToInput(source.definition.prompt ?? '').rest,
      hooks,
    };
  };

/** Returns chosen bots that aren't allowed anymore, so that the form still shows them. */
const notAllowed = (chosen: readonly string[], allowed: readonly AllowedBot[]) =>
  chosen
    .filter((id) => !allowed.some(({ botId }) => botId === id))
    .map((botId) => ({ botId, name: `${botId} (not allowed anymore)` }));
