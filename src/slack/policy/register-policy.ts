import type { WebClient } from '@slack/web-api';
import type { Rule } from '../../policy/policy.ts';
import { readStoredRules, rulesKey, type StoredRule } from '../../policy/stored-rules.ts';
import type { Settings } from '../../store/people/settings.ts';
import type { RunViewer } from '../../store/requests/visible-requests.ts';
import type { Listeners } from '../connection/deliveries/listeners.ts';
import { searchForMembers } from '../people/members-only.ts';
import type { People } from '../people/people.ts';
import { type Policies, policyOwner } from '../people/policies.ts';
import type { Rights } from '../people/rights.ts';
import type { UserGroup, UserGroups } from '../people/user-groups.ts';
import { answerPrivately, answerView } from '../posting/answer-privately.ts';
import { updateOpenModal } from '../posting/modals.ts';
import { type Click, type Clicked, onClick, viewerOf } from '../runs/acting/click.ts';
import { readPersonView, renderPersonView } from './person-view.ts';
import { readRuleForm, readRulePlace, renderRuleForm } from './rule-form.ts';
import { matchingGroups } from './rule-inputs.ts';
import { renderRules, ruleIds } from './rules-view.ts';
import { versionOf, writeRules } from './write-rules.ts';

type Deps = {
  settings: Settings;
  policies: Policies;
  groups: UserGroups;
  people: Pick<People, 'recall'>;
  rights: Rights;
  /** Rights that wait for Slack only as long as an acknowledgement can. */
  promptRights: Rights;
};

/** Opens the rules on top of an open modal. */
type OpenPolicy = (click: Click & { viewer: RunViewer }) => Promise<void>;

/** Registers the modal with a workspace's rules, for its admins. */
export function registerPolicy(app: Listeners, deps: Deps): OpenPolicy {
  const { policies, rights, promptRights } = deps;
  const draw = async (teamId: string) =>
    renderRules({ ...(await policies.read(teamId)), problem: policies.problem() });

  registerRules(app, deps, async (client, teamId, viewId) => {
    await updateOpenModal(client, viewId, await draw(teamId));
  });

  onAdminClick(app, rights, ruleIds.try, async ({ client, body }) => {
    await client.views.push({ trigger_id: body.trigger_id, view: renderPersonView() });
  });

  app.view(ruleIds.answer, async ({ ack, body, view, context }) => {
    const viewer = viewerOf(body, context.teamId);
    const selected = readPersonView(view.state);
    const denial = await promptRights.denySettings(viewer, 'workspace');
    if (denial) return ack({ response_action: 'errors', errors: { person: denial } });
    const described = await promptRights.describe({ ...selected, teamId: viewer.teamId });
    await ack({ response_action: 'update', view: renderPersonView({ ...selected, ...described }) });
  });

  return async ({ body, client, viewer }) => {
    const denial = await rights.denySettings(viewer, 'workspace');
    const view = denial ? answerView(`🔒 ${denial}`) : await draw(viewer.teamId);
    await client.views.push({ trigger_id: body.trigger_id, view });
  };
}

/** Redraws the list of rules in this view. */
type Redraw = (client: WebClient, teamId: string, viewId: string) => Promise<void>;

const onlyInFile =
  "The rules come from the operator's policy file now. Ask the app's operator to change them there.";

/** Registers the buttons and the form that add, edit and remove rules. */
function registerRules(
  app: Listeners,
  { settings, policies, groups, people, rights, promptRights }: Deps,
  redraw: Redraw,
): void {
  onChange(ruleIds.add, (click) => openForm(click));
  onChange(ruleIds.edit, (click) => openForm(click, click.value));
  onChange(ruleIds.remove, async ({ client, body, viewer, viewId, value }) => {
    const { listId, seen } = readRulePlace(body.view ?? { private_metadata: '' });
    const written = await writeRules(settings, viewer, { seen, was: value });
    const view =
      written.outcome === 'outdated'
        ? outdatedForm(await readAround(viewer), { now: written.now, was: value, listId })
        : answerView(`The rule "${value}" is removed.`);
    await updateOpenModal(client, viewId, view);
    await redraw(client, viewer.teamId, listId);
  });

  app.options(ruleIds.groups, async ({ ack, options, body, context }) => {
    const asker = { teamId: context.teamId ?? '', userId: body.user.id };
    const search = async () => ({ options: matchingGroups(await groups.list(), options.value) });
    await ack(await searchForMembers(promptRights, asker, search));
  });

  app.view(ruleIds.save, async ({ ack, body, view, client, context }) => {
    const viewer = viewerOf(body, context.teamId);
    const { was, seen, listId } = readRulePlace(view);
    const read = readRuleForm(view.state);
    const reject = (errors: Record<string, string>) => ack({ response_action: 'errors', errors });
    if ('errors' in read) return reject(read.errors);
    const denial =
      (await promptRights.denySettings(viewer, 'workspace')) ?? (await fileDenial(viewer));
    if (denial) return reject({ name: denial });
    const written = await writeRules(settings, viewer, { seen, was, ...read });
    if (written.outcome === 'rejected') return reject({ [written.field]: written.problem });
    if (written.outcome === 'outdated') {
      const outdated = { now: written.now, was, listId, typed: read };
      const form = outdatedForm(await readAround(viewer), outdated);
      await ack({ response_action: 'update', view: form });
    } else await ack();
    await redraw(client, viewer.teamId, listId);
  });

  /** Reads what the form shows in addition to the rule. */
  const readAround = async ({ userId }: RunViewer): Promise<Around> => ({
    groups: await groups.list(),
    timeZone: people.recall([userId]).get(userId)?.timeZone ?? 'UTC',
  });

  async function fileDenial({ teamId }: RunViewer): Promise<string | undefined> {
    return (await policies.read(teamId)).isFromFile ? onlyInFile : undefined;
  }

  function onChange(actionId: string, act: (click: AdminClick) => Promise<void>): void {
    onAdminClick(app, rights, actionId, async (click) => {
      const denial = await fileDenial(click.viewer);
      await (denial ? answerPrivately(click, { text: `🔒 ${denial}` }) : act(click));
    });
  }

  /**
   * Opens the form of a rule.
   * @param name the rule to edit; undefined for a new one
   */
  async function openForm(
    { body, client, viewer, viewId }: AdminClick,
    name?: string,
  ): Promise<void> {
    const stored = readStoredRules(await settings.read(policyOwner(viewer.teamId), rulesKey));
    const names = stored.map(({ rule }) => rule.name);
    const at = name === undefined ? names.length : names.indexOf(name);
    // Redraw the list, because someone has removed the rule.
    if (at < 0) return redraw(client, viewer.teamId, viewId);
    const content = {
      rule: stored[at]?.rule,
      was: name,
      seen: versionOf(stored),
      others: names.toSpliced(at, 1),
      after: names[at - 1],
      ...(await readAround(viewer)),
    };
    await client.views.push({ trigger_id: body.trigger_id, view: renderRuleForm(content, viewId) });
  }
}

type Outdated = {
  now: readonly StoredRule[];
  was: string | undefined;
  listId: string;
  typed?: { rule: Rule; after: string | undefined };
};

/** Groups and the time zone that the form offers. */
type Around = { groups: readonly UserGroup[]; timeZone: string };

/** Renders the form again with the typed values and the current rules. */
function outdatedForm(around: Around, { now, was, listId, typed }: Outdated) {
  const rules = now.map(({ rule }) => rule);
  const names = rules.map(({ name }) => name);
  const at = was === undefined ? -1 : names.indexOf(was);
  const others = at < 0 ? names : names.toSpliced(at, 1);
  const after = typed ? typed.after : names[at - 1];
  const content = {
    rule: typed?.rule ?? rules[at],
    was: at < 0 ? undefined : was,
    seen: versionOf(now),
    others,
    after: others.find((each) => each === after),
    changed: { rules, gone: at < 0 ? was : undefined },
    ...around,
  };
  return renderRuleForm(content, listId);
}

type AdminClick = Clicked & { viewId: string };

/** Registers a button in a modal, for workspace admins. */
function onAdminClick(
  app: Listeners,
  rights: Rights,
  actionId: string,
  act: (click: AdminClick) => Promise<void>,
): void {
  onClick(app, actionId, async (click) => {
    const denial = await rights.denySettings(click.viewer, 'workspace');
    if (denial) return answerPrivately(click, { text: `🔒 ${denial}` });
    if (click.body.view) await act({ ...click, viewId: click.body.view.id });
  });
}
