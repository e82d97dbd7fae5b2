/** Renders the form of a rule, and reads it back. */
import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import {
  conversationKinds,
  type PermissionName,
  permissionNames,
  type Rule,
  ruleSchema,
} from '../../policy/policy.ts';
import type { UserGroup } from '../people/user-groups.ts';
import { OutdatedViewError, readViewMetadata } from '../posting/modals.ts';
import {
  actions,
  button,
  context,
  dangerConfirmation,
  header,
  modal,
  section,
  textInput,
} from '../text/blocks.ts';
import { capitalize, limits, shorten } from '../text/escape-text.ts';
import {
  checkboxInput,
  type FormState,
  listInput,
  peopleInput,
  readFormValue,
  selectInput,
} from '../text/form-inputs.ts';
import { capFields, capsInputs, channelsInput, groupsInput } from './rule-inputs.ts';
import { conversationNames, ruleIds, ruleLines, subjectLabels } from './rules-view.ts';

type RuleFormContent = {
  /** Rule with the initial values of the fields. Undefined for an empty form. */
  rule: Rule | undefined;
  /** Name of the rule to edit. Undefined for a new one. */
  was: string | undefined;
  /** Version of the rules that the form shows. */
  seen: string;
  /** Names of the other rules, from top to bottom. */
  others: readonly string[];
  /** Name of the rule above this one. */
  after: string | undefined;
  /** All user groups of the workspace. */
  groups: readonly UserGroup[];
  /** Time zone of the person who edits the rule. A rule without one gets it together with its first cap. */
  timeZone: string;
  /** Rules that someone else saved while the form was open. `gone` is the edited rule if they removed it. */
  changed?: { rules: readonly Rule[]; gone?: string | undefined } | undefined;
};

const metadataSchema = z.object({
  was: z.string().optional(),
  seen: z.string(),
  listId: z.string(),
});

const first = ':first';

/**
 * Renders the form of a rule.
 * @param listId ID of the view below the form, which lists the rules
 */
export function renderRuleForm(content: RuleFormContent, listId: string): ModalView {
  const { rule, was, seen, others, after, groups, timeZone, changed } = content;
  const places = [
    { value: first, text: 'First' },
    ...others.map((name) => ({ value: name, text: `After "${name}"` })),
  ];
  const metadata: z.infer<typeof metadataSchema> = { listId, seen, ...(was && { was }) };
  return modal({
    callbackId: ruleIds.save,
    metadata,
    title: was ? 'Edit rule' : 'Add rule',
    submit: 'Save',
    blocks: [
      ...(changed ? [section(changedText(changed, was))] : []),
      textInput({
        blockId: 'name',
        label: 'Name',
        value: rule?.name,
        maxLength: 60,
        hint: nameHint,
      }),
      selectInput({
        blockId: 'after',
        label: 'Position',
        choices: places,
        value: after ?? first,
      }),
      header('Who and where'),
      context('If all are empty, the rule applies to everyone, everywhere.'),
      peopleInput({ blockId: 'people', label: 'People', ids: rule?.people ?? [] }),
      groupsInput('groups', 'User groups', { ids: rule?.groups ?? [], known: groups }),
      channelsInput('channels', 'Channels', rule?.channels ?? []),
      checkboxInput({
        blockId: 'conversations',
        label: 'Conversation types',
        boxes: conversationKinds.map((value) => ({
          value,
          text: capitalize(conversationNames[value].join(' and ')),
          isChecked: rule?.conversations?.includes(value) ?? false,
        })),
      }),
      header('Permissions and limits'),
      context("Leave out permissions that this rule doesn't change."),
      ...renderContent(rule),
      header('Spending caps'),
      context(capsHint),
      ...capsInputs(rule, timeZone),
      ...(was ? [actions([removeButton(was)])] : []),
    ],
  });
}

/** Renders changes that someone else saved meanwhile, because saving would overwrite them. */
function changedText(
  { rules, gone }: NonNullable<RuleFormContent['changed']>,
  was: string | undefined,
): string {
  const names = rules.map(({ name }, index) => `${index + 1}. ${name}`).join('\n');
  const edited = rules.find(({ name }) => name === was);
  return [
    "⚠️ *Someone changed the rules while this form was open.* Your changes weren't saved. Check the current rules below, then try again.",
    shorten(names || 'There are none.', 1_200),
    ...(gone ? [`*${gone}* was renamed or removed. If you save, it's added as a new rule.`] : []),
    ...(edited
      ? [shorten([`*${edited.name}* is now:`, ...ruleLines(edited)].join('\n'), 1_500)]
      : []),
  ].join('\n');
}

const capsHint =
  "In US dollars. At a cap, the run waits and asks in its thread if it can spend more. Leave out caps that this rule doesn't change.";

const nameHint = 'People see this name when the rule blocks them.';

function renderContent(rule: Rule | undefined): KnownBlock[] {
  return [
    permissionsInput('allow', 'Allow', rule, true),
    permissionsInput('block', 'Block', rule, false),
    ...(['environments', 'models', 'connections'] as const).map((subject) =>
      textInput({
        blockId: subject,
        label: `Allowed ${subjectLabels[subject].toLowerCase()}`,
        value: rule && joinIds(rule[subject]),
        optional: true,
        hint: listHints[subject],
      }),
    ),
    listInput({
      blockId: 'automations',
      label: 'Allowed automations',
      placeholder: 'Select triggers',
      choices: automationChoices,
      values: rule?.automations?.length === 0 ? [noAutomations] : (rule?.automations ?? []),
    }),
    ...limitFields.map((subject) =>
      textInput({
        blockId: subject,
        label: subjectLabels[subject],
        value: rule?.[subject]?.toString(),
        optional: true,
        maxLength: 6,
      }),
    ),
  ];
}

/** Renders the input for the permissions that the rule sets to this value. */
const permissionsInput = (
  blockId: string,
  label: string,
  rule: Rule | undefined,
  value: boolean,
): InputBlock =>
  listInput({
    blockId,
    label,
    placeholder: 'Select permissions',
    choices: permissionNames.map((each) => ({ value: each, text: subjectLabels[each] })),
    values: permissionNames.filter((each) => rule?.[each] === value),
  });

/** Joins IDs for the input. Never returns more characters than a person can type there. */
function joinIds(ids: readonly string[] = []): string {
  const text = ids.join(', ');
  return text.length > limits.inputValue ? ids.join(',') : text;
}

const limitFields = ['active_runs', 'starts_per_hour', 'automation_starts_per_hour'] as const;

/** Choice for a rule that blocks all automations. */
const noAutomations = 'none';
const automationChoices = [
  { value: 'schedule', text: 'Schedules' },
  { value: 'webhook', text: 'Webhooks' },
  { value: 'message', text: 'Messages in a channel' },
  { value: 'reaction', text: 'Reactions' },
  { value: noAutomations, text: 'None: block automations' },
];
const listHint = (noun: string) =>
  `IDs, separated by commas. Add "default" to allow runs without a chosen ${noun}.`;
const listHints = {
  environments: listHint('environment'),
  models: listHint('model'),
  connections: 'Names, separated by commas. "default" is provided by the app\'s operator.',
};

const removeButton = (name: string) =>
  button(ruleIds.remove, 'Remove rule', {
    value: name,
    style: 'danger',
    confirm: dangerConfirmation(
      'Remove this rule?',
      `The rule "${name}" will be removed. Active runs aren't affected.`,
      'Remove',
      'Keep rule',
    ),
  });

/**
 * Reads which rule the form is for.
 * @throws OutdatedViewError
 */
export const readRulePlace = (view: { private_metadata: string }) =>
  readViewMetadata(metadataSchema, view);

type ReadRule = { rule: Rule; after: string | undefined } | { errors: Record<string, string> };

/**
 * Reads the rule, or the mistakes by field.
 * @throws OutdatedViewError
 */
export function readRuleForm(state: FormState): ReadRule {
  // Reject a form of an earlier version without these lists, because saving it would lose the permissions.
  if (!state.values['allow']) throw new OutdatedViewError('The form has no list of permissions');
  const text = (field: string) => readFormValue(state, field) ?? '';
  const list = (field: string) => {
    const ids = text(field)
      .split(',')
      .map((id) => id.trim())
      .filter(Boolean);
    return ids.length > 0 ? ids : undefined;
  };
  const number = (field: string) =>
    text(field) ? Number(text(field).replace(/^\$/, '')) : undefined;
  const allowed = list('allow') ?? [];
  const blocked = list('block') ?? [];
  const contradiction = permissionNames.find(
    (each) => allowed.includes(each) && blocked.includes(each),
  );
  const lists = [
    'people',
    'groups',
    'channels',
    'conversations',
    'environments',
    'models',
    'connections',
  ];
  const triggers = list('automations');
  const isWithout = triggers?.length === 1 && triggers[0] === noAutomations;
  const periodCaps = capFields.flatMap((field) => (text(field) ? [[field, text(field)]] : []));
  const read = ruleSchema.safeParse({
    name: text('name'),
    ...Object.fromEntries(lists.map((field) => [field, list(field)])),
    ...Object.fromEntries(allowed.map((each) => [each, true])),
    ...Object.fromEntries(blocked.map((each) => [each, false])),
    automations: isWithout ? [] : triggers,
    ...Object.fromEntries(limitFields.map((field) => [field, number(field)])),
    run_cap: number('run_cap'),
    ...Object.fromEntries(periodCaps),
    // Leave out the time zone without a cap, because it applies to nothing.
    ...(periodCaps.length > 0 && { time_zone: text('time_zone') || undefined }),
  });
  const after = text('after');
  if (read.success && !contradiction)
    return { rule: read.data, after: after === first ? undefined : after };
  const issues = read.error?.issues ?? [];
  const errors = issues.map(({ path: [field], message }) => [
    field ?? 'allow',
    field ? `This ${message}.` : nothingSet,
  ]);
  return {
    errors: {
      ...Object.fromEntries(errors),
      ...(contradiction && { block: contradictionText(contradiction) }),
      ...(!isWithout && triggers?.includes(noAutomations) && { automations: noneAndOthers }),
    },
  };
}

const contradictionText = (permission: PermissionName) =>
  `"${subjectLabels[permission]}" is in both lists. Remove it from one.`;

const noneAndOthers = '"None" can\'t be combined with triggers. Remove one or the other.';

const nothingSet = 'Select something to allow or block, or fill in a field below.';
