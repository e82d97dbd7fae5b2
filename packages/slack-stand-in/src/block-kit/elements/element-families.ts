import { z } from 'zod';
import { imageElement } from '../composition-objects.ts';
import { mrkdwn, plainText } from '../text-objects.ts';
import { button, feedbackButtons, iconButton, overflow, workflowButton } from './buttons.ts';
import {
  datepicker,
  datetimepicker,
  emailInput,
  fileInput,
  numberInput,
  plainTextInput,
  richTextInput,
  timepicker,
  urlInput,
} from './inputs.ts';
import {
  channelsSelect,
  checkboxes,
  conversationsSelect,
  externalSelect,
  multiChannelsSelect,
  multiConversationsSelect,
  multiExternalSelect,
  multiStaticSelect,
  multiUsersSelect,
  radioButtons,
  staticSelect,
  usersSelect,
} from './selects.ts';

const selects = [
  staticSelect,
  externalSelect,
  usersSelect,
  conversationsSelect,
  channelsSelect,
  multiStaticSelect,
  multiExternalSelect,
  multiUsersSelect,
  multiConversationsSelect,
  multiChannelsSelect,
] as const;

const chosen = [...selects, checkboxes, radioButtons, datepicker, timepicker] as const;
const pressed = [button, workflowButton, overflow] as const;
const typed = [plainTextInput, emailInput, urlInput, numberInput, richTextInput] as const;

/**
 * Schema of elements in an actions block. The elements of each block are from "Works with block types" in the elements'
 * reference on docs.slack.dev.
 */
export const actionsElement = z.discriminatedUnion('type', [
  ...pressed,
  ...chosen,
  datetimepicker,
  richTextInput,
]);

export const sectionAccessory = z.discriminatedUnion('type', [...pressed, ...chosen, imageElement]);

const inputElements = [...typed, ...chosen, datetimepicker] as const;

export const inputElement = z.discriminatedUnion('type', [...inputElements]);

/** Schema of elements in input blocks of modals. Only modals can have file inputs. */
export const modalInputElement = z.discriminatedUnion('type', [...inputElements, fileInput]);

export const contextElement = z.discriminatedUnion('type', [imageElement, plainText(), mrkdwn()]);

export const contextActionsElement = z.discriminatedUnion('type', [feedbackButtons, iconButton]);
