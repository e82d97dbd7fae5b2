import type { ViewOutput } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { WebhookSender } from '../../../automations/automation.ts';
import { filterText } from '../../../automations/filter.ts';
import { type ReadyMade, readyMade } from '../../../automations/ready-made.ts';
import {
  createWebhookSecret,
  senderInText,
  senderTexts,
} from '../../../automations/webhook/senders.ts';
import type { Automations } from '../../../store/automations/automations.ts';
import type { RunViewer } from '../../../store/requests/visible-requests.ts';
import { type FormSearchDeps, searchForm } from '../../configuration/form-search.ts';
import type { Listeners } from '../../connection/deliveries/listeners.ts';
import type { Asker } from '../../people/setting.ts';
import { answerPrivately, answerView } from '../../posting/answer-privately.ts';
import { showModal, updateOpenModal } from '../../posting/modals.ts';
import { type Clicked, onOpeningClick } from '../../runs/acting/click.ts';
import { recurAction } from '../../runs/showing/buttons/run-buttons.ts';
import { context, section } from '../../text/blocks.ts';
import { escapeText } from '../../text/escape-text.ts';
import { readFormNames } from '../../text/form-inputs.ts';
import type { AutomationRights } from '../automation-rights.ts';
import { renderAutomationForm } from './automation-form.ts';
import type { CheckAutomation } from './check-automation.ts';
import {
  type AutomationField,
  type AutomationMetadata,
  type AutomationValues,
  automationFields,
  blockIdOf,
  type HookAddress,
  readAutomationMetadata,
  readAutomationValues,
} from './form-content.ts';
import { automationFormIds } from './form-ids.ts';
import { type FormSource, type FormSources, gone } from './form-source.ts';
import type { FillForm, MakeRecurring, ReadTimeZone } from './open-automation-form.ts';
import { type Errors, keptOf, readAutomation } from './read-automation.ts';
import type { SaveAutomation } from './save-automation.ts';
import { renderSaved } from './saved-view.ts';
import type { StartNow } from './start-now.ts';
import type { TestAutomation } from './test-automation.ts';

type Deps = {
  automations: Pick<Automations, 'find' | 'replaceSecret'>;
  sources: FormSources;
  fillForm: FillForm;
  checkAutomation: CheckAutomation;
  saveAutomation: SaveAutomation;
  testAutomation: TestAutomation;
  startNow: StartNow;
  automationRights: Pick<AutomationRights, 'denyManage'>;
  makeRecurring: MakeRecurring;
  readTimeZone: ReadTimeZone;
  hooks: HookAddress;
  search: FormSearchDeps;
  /** Shows the automation in the page below the form. */
  redrawPage(
    client: WebClient,
    viewId: string,
    viewer: RunViewer,
    automationId: string,
  ): Promise<void>;
};

type OpenForm = {
  asker: Asker;
  metadata: AutomationMetadata;
  values: AutomationValues;
  source: FormSource;
};
type Redraw = Partial<Pick<OpenForm, 'metadata' | 'values'>> & { tested?: readonly KnownBlock[] };

/** Registers the form of an automation, its pickers, *Test*, *Start now* and *Replace secret*. */
export function registerAutomationForm(app: Listeners, deps: Deps): void {
  const { sources, fillForm, saveAutomation, startNow, readTimeZone, hooks } = deps;

  /** Draws the open form again, with the values that were entered and what `change` returns. */
  async function redraw(
    { client, body: { view }, viewer }: Clicked,
    change: (form: OpenForm) => Redraw | Promise<Redraw>,
  ): Promise<void> {
    if (!view) return;
    const metadata = readAutomationMetadata(view);
    const asker = { ...viewer, channelId: metadata.channelId };
    const source = await sources.read(asker, metadata);
    if ('sentence' in source)
      return updateOpenModal(client, view.id, answerView(`🔒 ${source.sentence}`));
    const entered = readAutomationValues(view);
    const values = { time_zone: await readTimeZone(asker), ...entered };
    const names = readFormNames(view.state);
    const { tested = [], ...changed } = await change({ asker, metadata, values, source });
    const content = await fillForm(asker, { metadata, values, source, names, ...changed });
    await updateOpenModal(client, view.id, renderAutomationForm({ ...content, tested }));
  }

  onOpeningClick(app, automationFormIds.trigger, (click) => redraw(click, () => ({})));
  onOpeningClick(app, automationFormIds.sender, (click) => redraw(click, () => ({})));
  onOpeningClick(app, automationFormIds.readyMade, (click) =>
    redraw(click, ({ metadata, values }) => {
      const chosen = readyMade.find(({ name }) => name === click.value);
      return chosen
        ? {
            values: { ...values, ...readyMadeValues(chosen) },
            metadata: { ...metadata, version: metadata.version + 1 },
          }
        : {};
    }),
  );
  onOpeningClick(app, automationFormIds.test, (click) =>
    redraw(click, async (form) => ({ tested: await test(deps, form) })),
  );
  onOpeningClick(app, automationFormIds.startNow, async (click) => {
    const text = await startNow(click);
    const isForm = click.body.view?.callback_id === automationFormIds.view;
    await (isForm
      ? redraw(click, () => ({ tested: [context(text)] }))
      : answerPrivately(click, { text }));
  });
  onOpeningClick(app, recurAction, (click) => deps.makeRecurring(click, click.value));
  onOpeningClick(app, automationFormIds.replaceSecret, (click) => replaceSecret(deps, click));

  // Acknowledge actions of pickers and do nothing else. Slack can send one even for a picker in an input block.
  app.action(/^automations:(environment|model|preset)$/, ({ ack }) => ack());

  app.options(
    /^automations:(environment|model|preset)$/,
    async ({ ack, options, body, context }) => {
      const view = 'view' in body ? body.view : undefined;
      const { channel = '', connection } = view ? readAutomationValues(view) : {};
      const asker = { teamId: context.teamId ?? '', userId: body.user.id, channelId: channel };
      const { action_id: actionId, value: query } = options;
      const search = { actionId, query, channelId: channel };
      await ack(await searchForm(deps.search, { ...asker, connection }, search));
    },
  );

  app.view(automationFormIds.view, async ({ ack, body, view, client, context }) => {
    const person = { teamId: context.teamId ?? '', userId: body.user.id };
    const saved = await saveAutomation(view, person);
    if ('errors' in saved)
      return ack({ response_action: 'errors', errors: blockErrors(view, saved.errors) });
    const { previous_view_id: belowId } = view;
    const isShown = saved.isNew || saved.secret !== undefined || !belowId;
    await ack(isShown ? { response_action: 'update', view: renderSaved(saved, hooks) } : undefined);
    const { channelId, source } = readAutomationMetadata(view);
    // Leave a run's details below the form as they are.
    if (!belowId || source?.from === 'run') return;
    const viewer = { ...person, conversationId: channelId };
    await deps.redrawPage(client, belowId, viewer, saved.automation.id);
  });
}

const readyMadeValues = ({ name, sender, filter, title, prompt }: ReadyMade): AutomationValues => ({
  automation_name: name,
  sender,
  filter: filterText(filter),
  title,
  prompt,
});

/** Returns the errors by block. An error of a field that isn't shown is at the name, because Slack shows no others. */
function blockErrors(view: ViewOutput, errors: Errors): Record<string, string> {
  const metadata = readAutomationMetadata(view);
  const isShown = (field: AutomationField) => blockIdOf(metadata, field) in view.state.values;
  return Object.fromEntries(
    automationFields.flatMap((field) => {
      const { [field]: sentence } = errors;
      const at = isShown(field) ? field : 'automation_name';
      return sentence ? [[blockIdOf(metadata, at), sentence]] : [];
    }),
  );
}

async function test(
  { checkAutomation, testAutomation, readTimeZone }: Deps,
  { asker, values, source }: OpenForm,
): Promise<KnownBlock[]> {
  const read = readAutomation(values, keptOf(source));
  const errors = 'errors' in read ? read.errors : await checkAutomation(asker, read.answers);
  const sentences = Object.values(errors).map((each) => `• ${escapeText(each, 500)}`);
  if (sentences.length > 0 || 'errors' in read)
    return [section(`⚠️ *Change this first:*\n${sentences.join('\n')}`)];
  const { automation } = source;
  return testAutomation(asker, read.answers, { automation, timeZone: await readTimeZone(asker) });
}

/** Makes a new secret for a webhook and shows it once. */
async function replaceSecret(
  { automations, automationRights, hooks }: Deps,
  click: Clicked,
): Promise<void> {
  const { viewer, value: id } = click;
  const automation = await automations.find(viewer.teamId, id);
  if (!automation) return answerPrivately(click, { text: `⚠️ ${gone}` });
  const denial = await automationRights.denyManage(viewer, automation, 'replaceSecret');
  if (denial) return answerPrivately(click, { text: `🔒 ${denial}` });
  const { trigger } = automation.definition;
  if (trigger.kind === 'webhook' && senderTexts[trigger.sender].makesSecret)
    return answerPrivately(click, { text: madeBySender(trigger.sender) });
  const secret = createWebhookSecret();
  if (!(await automations.replaceSecret(id, secret, viewer.userId)))
    return answerPrivately(click, { text: `⚠️ ${gone}` });
  const view = renderSaved({ automation, isNew: false, secret }, hooks);
  await showModal(click, view);
}

const madeBySender = (sender: WebhookSender) =>
  `Get a new secret from ${senderInText(sender)}. Then select *Edit* and paste it.`;
