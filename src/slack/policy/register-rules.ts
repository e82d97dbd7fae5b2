import type { WebClient } from '@slack/web-api';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import { ackWaitMs } from '../connection/acknowledge-in-time.ts';
import type { Listeners } from '../connection/listeners.ts';
import { type Policies, policyOwner, readStoredRules } from '../people/policies.ts';
import type { Rights } from '../people/rights.ts';
import type { UserGroups } from '../people/user-groups.ts';
import { answerPrivately, answerView } from '../posting/answer-privately.ts';
import { viewerOf } from '../runs/click.ts';
import { searchForMembers } from '../runs/open-modal.ts';
import { type AdminClick, onAdminClick } from './admin-clicks.ts';
import { readRuleForm, readRulePlace, renderRuleForm } from './rule-form.ts';
import { matchingGroups } from './rule-inputs.ts';
import { ruleIds } from './rules-view.ts';
import { placeAfter, writeRule } from './write-rules.ts';

export type RuleParts = {
  settings: Pick<Settings, 'list' | 'write' | 'remove'>;
  policies: Pick<Policies, 'read'>;
  groups: Pick<UserGroups, 'list'>;
  rights: Pick<Rights, 'refuseSettings' | 'refuseOpen'>;
  redraw(client: WebClient, teamId: string, viewId: string): Promise<void>;
};

const onlyInFile = "The rules come from a file now. Ask the app's operator to change them there.";

/** Adding, editing and removing rules. */
export function registerRules(app: Listeners, parts: RuleParts): void {
  const { settings, groups, rights, redraw } = parts;

  onChange(ruleIds.add, (click) => drawForm(parts, click));
  onChange(ruleIds.edit, (click) => drawForm(parts, click, click.value));
  onChange(ruleIds.remove, async ({ client, body, viewer, viewId, value }) => {
    const { listId } = readRulePlace(body.view ?? { private_metadata: '' });
    const stored = await readStoredRules(settings, viewer.teamId);
    const key = stored.find(({ rule }) => rule.name === value)?.key;
    if (key) await settings.remove(policyOwner(viewer.teamId), key, viewer.userId);
    const view = answerView(`The rule "${value}" is removed.`);
    await client.views.update({ view_id: viewId, view });
    await redraw(client, viewer.teamId, listId);
  });

  app.options(ruleIds.groups, async ({ ack, options, body, context }) => {
    const asker = { teamId: context.teamId ?? '', userId: body.user.id };
    const search = async () => ({ options: matchingGroups(await groups.list(), options.value) });
    await ack(await searchForMembers(rights, asker, search));
  });

  app.view(ruleIds.save, async ({ ack, body, view, client, context }) => {
    const viewer = viewerOf(body, context.teamId);
    const { was, listId } = readRulePlace(view);
    const read = readRuleForm(view.state);
    const refuse = (errors: Record<string, string>) => ack({ response_action: 'errors', errors });
    if ('errors' in read) return refuse(read.errors);
    const refusal =
      (await rights.refuseSettings(viewer, 'workspace', ackWaitMs)) ?? (await fileRefusal(viewer));
    if (refusal) return refuse({ name: refusal });
    const stored = await readStoredRules(settings, viewer.teamId);
    const written = { rule: read.rule, was, order: placeAfter(stored, read, was) };
    const problem = await writeRule(settings, viewer, written, stored);
    if (problem) return refuse({ name: problem });
    await ack();
    await redraw(client, viewer.teamId, listId);
  });

  async function fileRefusal({ teamId }: RunViewer): Promise<string | undefined> {
    return (await parts.policies.read(teamId)).isFromFile ? onlyInFile : undefined;
  }

  function onChange(actionId: string, act: (click: AdminClick) => Promise<void>): void {
    onAdminClick(app, parts, actionId, async (click) => {
      const refusal = await fileRefusal(click.viewer);
      await (refusal ? answerPrivately(click, { text: `🔒 ${refusal}` }) : act(click));
    });
  }
}

/** @param name of the rule to edit */
async function drawForm(
  { settings, groups, redraw }: RuleParts,
  { body, client, viewer, viewId }: AdminClick,
  name?: string,
): Promise<void> {
  const stored = await readStoredRules(settings, viewer.teamId);
  const names = stored.map(({ rule }) => rule.name);
  const at = name === undefined ? names.length : names.indexOf(name);
  // Removed in the meantime.
  if (at < 0) return redraw(client, viewer.teamId, viewId);
  const content = {
    rule: stored[at]?.rule,
    others: names.filter((each) => each !== name),
    after: names[at - 1],
    groups: await groups.list(),
  };
  await client.views.push({ trigger_id: body.trigger_id, view: renderRuleForm(content, viewId) });
}
