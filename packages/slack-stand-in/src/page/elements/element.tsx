import type { Element } from '../blocks/block-types.ts';
import { Picture } from '../blocks/objects.tsx';
import { Button, FeedbackButtons, Overflow } from './buttons.tsx';
import { Choices, RichTextInput, TextInput, TimePicker } from './inputs.tsx';
import { MultiSelect, SingleSelect } from './select.tsx';

export function ElementView({ element }: { element: Element }) {
  switch (element.type) {
    case 'button':
    case 'icon_button':
      return <Button element={element} />;
    case 'feedback_buttons':
      return <FeedbackButtons element={element} />;
    case 'overflow':
      return <Overflow element={element} />;
    case 'checkboxes':
    case 'radio_buttons':
      return <Choices element={element} />;
    case 'plain_text_input':
    case 'email_text_input':
    case 'url_text_input':
    case 'number_input':
      return <TextInput element={element} />;
    case 'datepicker':
    case 'timepicker':
    case 'datetimepicker':
      return <TimePicker element={element} />;
    case 'rich_text_input':
      return <RichTextInput element={element} />;
    case 'image':
      return <Picture image={element} size="medium" />;
    case 'static_select':
    case 'external_select':
    case 'users_select':
    case 'conversations_select':
    case 'channels_select':
      return <SingleSelect element={element} />;
    case 'multi_static_select':
    case 'multi_external_select':
    case 'multi_users_select':
    case 'multi_conversations_select':
    case 'multi_channels_select':
      return <MultiSelect element={element} />;
    default:
      return <UnknownElement element={element} />;
  }
}

function UnknownElement({ element }: { element: { type: string } }) {
  return <span class="muted">This page can't draw “{element.type}” elements</span>;
}
