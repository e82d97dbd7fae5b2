/** The form of one rule: renders its fields and reads them back. */
import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { conversationKinds, type Rule, ruleSchema, yesOrNo } from '../../policy/policy.ts';
import type { UserGroup } from '../people/user-groups.ts';
import { readViewMetadata } from '../posting/modals.ts';
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
import { limits, shorten } from '../text/escape-text.ts';
import { checkboxInput, type FormState, readFormValue, selectInput } from '../text/form-inputs.ts';
import { channelsInput, groupsInput, peopleInput } from './rule-inputs.ts';
import { kindWords, ruleIds, ruleLines, subjectWords } from './rules-view.ts';

type RuleFormContent = {
  /** Values for the fields. */
  rule: Rule | undefined;
  /** Name of the rule to edit. Undefined for a new one. */
  was: string | undefined;
  /** Version of the rules that the form is drawn from. */
  seen: string;
  /** Names of the other rules, in order. */
  others: readonly string[];
  /** Name of the rule before it. */
  after: string | undefined;
  /** All groups of the workspace. */
  groups: readonly UserGroup[];
  /** Rules that someone else saved while the form was open. `gone` is the edited rule if they removed it. */
  changed?: { rules: readonly Rule[]; gone?: string | undefined } | undefined;
};

const metadataSchema = z.object({
  was: z.string().optional(),
  seen: z.string(),
  listId: z.string(),
});

const first = ':first';
const answers = { yes: 'Yes', no: 'No' };
const notSet = 'unsaid';

/** @param listId the view with the list of rules, below the form */
export function renderRuleForm(content: RuleFormContent, listId: string): ModalView {
  const { rule, was, seen, others, after, groups, changed } = content;
  const places = [
    { value: first, text: 'First' },
    ...others.map((name) => ({ value: name, text: `After ${name}` })),
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
      context('Leave empty to apply to everyone, everywhere.'),
      peopleInput('people', 'People', rule?.people ?? []),
      groupsInput('groups', 'User groups', { ids: rule?.groups ?? [], known: groups }),
      channelsInput('channels', 'Channels', rule?.channels ?? []),
      checkboxInput({
        blockId: 'conversations',
        label: 'Conversation types',
        boxes: conversationKinds.map((value) => ({
          value,
          text: capital(kindWords[value]),
          isChecked: rule?.conversations?.includes(value) ?? false,
        })),
      }),
      header('Permissions and limits'),
      ...renderContent(rule),
      ...(was ? [actions([removeButton(was)])] : []),
    ],
  });
}

/** Shows changes by someone else, so that they aren't overwritten unseen. */
function changedText(
  { rules, gone }: NonNullable<RuleFormContent['changed']>,
  was: string | undefined,
): string {
  const names = rules.map(({ name }, index) => `${index + 1}. ${name}`).join('\n');
  const edited = rules.find(({ name }) => name === was);
  return [
    '⚠️ *Someone changed the rules while this form was open.* Nothing was changed. Check the current rules below, then try again.',
    shorten(names || 'There are none.', 1_200),
    ...(gone ? [`*${gone}* was renamed or removed. If you save, it's added as a new rule.`] : []),
    ...(edited
      ? [shorten([`*${edited.name}* says now:`, ...ruleLines(edited)].join('\n'), 1_500)]
      : []),
  ].join('\n');
}

const nameHint = 'Shown to people this rule blocks.';
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function renderContent(rule: Rule | undefined): KnownBlock[] {
  const choices = Object.entries({ [notSet]: 'Not set', ...answers });
  return [
    ...yesOrNo.map((subject) =>
      selectInput({
        blockId: subject,
        label: subjectWords[subject],
        choices: choices.map(([value, text]) => ({ value, text })),
        value: rule?.[subject] === undefined ? notSet : rule[subject] ? 'yes' : 'no',
      }),
    ),
    ...(['environments', 'models', 'connections'] as const).map((subject) =>
      textInput({
        blockId: subject,
        label: `${subjectWords[subject]} that can be used`,
        value: rule && written(rule[subject]),
        optional: true,
        hint: listHints[subject],
      }),
    ),
    ...(['active_runs', 'starts_per_hour'] as const).map((subject) =>
      textInput({
        blockId: subject,
        label: limitWords[subject],
        value: rule?.[subject]?.toString(),
        optional: true,
        maxLength: 6,
      }),
    ),
  ];
}

/** Returns text that is never longer than the typed text. */
function written(ids: readonly string[] = []): string {
  const text = ids.join(', ');
  return text.length > limits.inputValue ? ids.join(',') : text;
}

const limitWords = {
  active_runs: 'Max active runs per person',
  starts_per_hour: 'Max new runs per person per hour',
};
const listHint =
  'IDs, separated by commas. Add "default" to allow runs that choose none. Leave empty if not set.';
const listHints = {
  environments: listHint,
  models: listHint,
  connections: "Names, separated by commas; default is the app operator's. Leave empty if not set.",
};

const removeButton = (name: string) =>
  button(ruleIds.remove, 'Remove rule', {
    value: name,
    style: 'danger',
    confirm: dangerConfirmation(
      'Remove this rule?',
      `${name}. Active runs aren't affected.`,
      'Remove',
      'Keep rule',
    ),
  });

/** @throws OutdatedViewError */
export const readRulePlace = (view: { private_metadata: string }) =>
  readViewMetadata(metadataSchema, view);

type ReadRule = { rule: Rule; after: string | undefined } | { errors: Record<string, string> };

export function readRuleForm(state: FormState): ReadRule {
  const text = (field: string) => readFormValue(state, field) ?? '';
  const list = (field: string) => {
    const ids = text(field)
      .split(',')
      .map((id) => id.trim())
      .filter(Boolean);
    return ids.length > 0 ? ids : undefined;
  };
  const number = (field: string) => (text(field) ? Number(text(field)) : undefined);
  const lists = [
    'people',
    'groups',
    'channels',
    'conversations',
    'environments',
    'models',
    'connections',
  ];
  const read = ruleSchema.safeParse({
    name: text('name'),
    ...Object.fromEntries(lists.map((field) => [field, list(field)])),
    ...Object.fromEntries(
      yesOrNo.map((each) => [each, text(each) in answers ? text(each) === 'yes' : undefined]),
    ),
    active_runs: number('active_runs'),
    starts_per_hour: number('starts_per_hour'),
  });
  const after = text('after');
  if (read.success) return { rule: read.data, after: after === first ? undefined : after };
  const errors = read.error.issues.map(({ path: [field], code, message }) => [
    field ?? 'start',
    field ? `This ${code === 'invalid_type' ? 'must be a whole number' : message}.` : nothingSet,
  ]);
  return { errors: Object.fromEntries(errors) };
}

const nothingSet = 'Say yes or no to something, or fill in a field below.';
