import { urlSource } from '../../src/block-kit/blocks/task-blocks.ts';
import {
  confirmation,
  imageElement,
  menuOption,
  optionGroup,
  overflowOption,
} from '../../src/block-kit/composition-objects.ts';
import {
  button,
  feedbackButtons,
  iconButton,
  overflow,
} from '../../src/block-kit/elements/buttons.ts';
import { fileInput, plainTextInput } from '../../src/block-kit/elements/inputs.ts';
import { checkboxes, radioButtons, staticSelect } from '../../src/block-kit/elements/selects.ts';
import { anyText } from '../../src/block-kit/text-objects.ts';
import * as a from './fragments.ts';
import {
  by,
  inView,
  type LimitCase,
  listIn,
  numberIn,
  optionsIn,
  stringIn,
  textIn,
  urlIn,
} from './limit-case.ts';

const group = { label: a.plain(), options: a.options(1) };
const select = { type: 'static_select', options: a.options(1) };
const icon = { type: 'icon_button', icon: 'trash', text: a.plain() };
const source = { type: 'url', text: 'x' };
const long = (size: number, fill: string) => a.plain(fill.repeat(size));
const feedback = (at: string, part: (size: number, fill: string) => object) =>
  by(feedbackButtons, `/positive_button/${at}`, (size, fill) => ({
    type: 'feedback_buttons',
    positive_button: { ...a.aFeedbackButton, ...part(size, fill) },
    negative_button: a.aFeedbackButton,
  }));

/** The numeric cases about objects, elements and views in the shared list of invalid payloads, by ID. */
export const objectLimitCases: Record<string, LimitCase> = {
  'text-empty': stringIn(anyText(), a.plain(), 'text'),
  'text-too-long': stringIn(anyText(), a.plain(), 'text'),
  'button-action-id-too-long': stringIn(button, a.aButton, 'action_id'),
  'button-text-too-long': textIn(button, a.aButton, 'text'),
  'button-url-too-long': urlIn(button, a.aButton, 'url'),
  'button-value-too-long': stringIn(button, a.aButton, 'value'),
  'button-accessibility-label-too-long': stringIn(button, a.aButton, 'accessibility_label'),
  'confirmation-title-too-long': textIn(confirmation, a.aConfirmation, 'title'),
  'confirmation-text-too-long': textIn(confirmation, a.aConfirmation, 'text'),
  'confirmation-confirm-too-long': textIn(confirmation, a.aConfirmation, 'confirm'),
  'confirmation-deny-too-long': textIn(confirmation, a.aConfirmation, 'deny'),
  'option-text-too-long': textIn(menuOption, a.option(), 'text'),
  'option-value-too-long': stringIn(menuOption, a.option(), 'value'),
  'option-url-too-long': urlIn(overflowOption, a.option(), 'url'),
  'option-description-too-long': textIn(menuOption, a.option(), 'description'),
  'option-group-label-too-long': textIn(optionGroup, group, 'label'),
  'option-group-empty': listIn(optionGroup, group, 'options', a.option()),
  'option-group-too-many-options': listIn(optionGroup, group, 'options', a.option()),
  'select-placeholder-too-long': textIn(staticSelect, select, 'placeholder'),
  'select-too-many-options': listIn(staticSelect, select, 'options', a.option()),
  'select-too-many-option-groups': listIn(
    staticSelect,
    { type: 'static_select' },
    'option_groups',
    group,
  ),
  'overflow-empty': optionsIn(overflow, 'overflow'),
  'overflow-too-many-options': optionsIn(overflow, 'overflow'),
  'checkboxes-empty': optionsIn(checkboxes, 'checkboxes'),
  'checkboxes-too-many-options': optionsIn(checkboxes, 'checkboxes'),
  'radio-buttons-empty': optionsIn(radioButtons, 'radio_buttons'),
  'radio-buttons-too-many-options': optionsIn(radioButtons, 'radio_buttons'),
  'url-source-url-empty': urlIn(urlSource, source, 'url'),
  'url-source-url-too-long': urlIn(urlSource, source, 'url'),
  'file-input-max-files-too-small': numberIn(fileInput, { type: 'file_input' }, 'max_files'),
  'file-input-max-files-too-large': numberIn(fileInput, { type: 'file_input' }, 'max_files'),
  'plain-text-input-max-length-too-large': numberIn(
    plainTextInput,
    { type: 'plain_text_input' },
    'max_length',
  ),
  'image-url-too-long': urlIn(imageElement, a.anImage, 'image_url'),
  'image-alt-text-too-long': stringIn(imageElement, a.anImage, 'alt_text'),
  'feedback-button-text-too-long': feedback('text/text', (n, fill) => ({ text: long(n, fill) })),
  'feedback-button-value-too-long': feedback('value', (n, fill) => ({ value: fill.repeat(n) })),
  'feedback-button-accessibility-label-too-long': feedback('accessibility_label', (n, fill) => ({
    accessibility_label: fill.repeat(n),
  })),
  'icon-button-too-many-visible-users': listIn(iconButton, icon, 'visible_to_user_ids', 'U1'),
  'view-missing-blocks': inView('blocks', (n) => a.times(n, a.aSection)),
  'view-too-many-blocks': inView('blocks', (n) => a.times(n, a.aSection)),
  'view-private-metadata-too-long': inView('private_metadata', (n, fill) => fill.repeat(n)),
  'view-callback-id-too-long': inView('callback_id', (n, fill) => fill.repeat(n)),
  'view-title-too-long': inView('title/text', long),
  'view-close-too-long': inView('close/text', long),
  'view-submit-too-long': inView('submit/text', long),
};
