import type { TextElement } from '../blocks/block-types.ts';
import { useElement } from '../state/use-element.ts';

export function TextInput({ element }: { element: TextElement }) {
  const { value, touch, act, role, aria } = useElement(element);
  const text = (value ? value.value : element.initial_value) ?? '';
  const triggers = element.dispatch_action_config?.trigger_actions_on ?? ['on_enter_pressed'];
  const asValue = (typed: string) => ({ type: element.type, value: typed === '' ? null : typed });
  const onInput = (event: { currentTarget: { value: string } }) => {
    const typed = event.currentTarget.value;
    touch(asValue(typed));
    if (role === 'dispatching' && triggers.includes('on_character_entered'))
      void act(asValue(typed));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isPlainEnter = event.key === 'Enter' && !event.shiftKey && !event.isComposing;
    if (!isPlainEnter || role !== 'dispatching' || !triggers.includes('on_enter_pressed')) return;
    event.preventDefault();
    void act(asValue(text));
  };
  const shared = {
    value: text,
    dir: 'auto' as const,
    onInput,
    onKeyDown,
    ...aria,
    ...(element.placeholder && { placeholder: element.placeholder.text }),
    ...(element.max_length && { maxLength: element.max_length }),
    ...(element.focus_on_load && { autoFocus: true }),
  };
  if (element.multiline) return <textarea class="field" rows={5} {...shared} />;
  switch (element.type) {
    case 'email_text_input':
      return <input class="field" type="email" {...shared} />;
    case 'url_text_input':
      return <input class="field" type="url" {...shared} />;
    case 'number_input': {
      const inputMode = element.is_decimal_allowed ? 'decimal' : 'numeric';
      return <input class="field" type="text" inputMode={inputMode} {...shared} />;
    }
    case 'plain_text_input':
      return <input class="field" type="text" {...shared} />;
  }
}
