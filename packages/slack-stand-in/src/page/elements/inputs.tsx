import { useId } from 'preact/hooks';
import type { ElementValue } from '../../page-server/page-protocol.ts';
import type {
  ChoiceElement,
  OptionObject,
  RichElement,
  RichTextInputElement,
  TextElement,
  TimeElement,
} from '../blocks/block-types.ts';
import { Text } from '../blocks/objects.tsx';
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

/** Shows a plain text field, whose text becomes one rich text section. */
export function RichTextInput({ element }: { element: RichTextInputElement }) {
  const { value, touch, aria } = useElement(element);
  const held = (value?.rich_text_value ?? element.initial_value) as typeof element.initial_value;
  const text = held?.type === 'text' ? held.text : plainText(held?.elements ?? []);
  const write = (typed: string) => {
    const section = { type: 'rich_text_section', elements: [{ type: 'text', text: typed }] };
    touch({ type: element.type, rich_text_value: { type: 'rich_text', elements: [section] } });
  };
  return (
    <textarea
      class="field"
      rows={5}
      value={text}
      placeholder={element.placeholder?.text ?? ''}
      onInput={(event) => write(event.currentTarget.value)}
      {...aria}
    />
  );
}

function plainText(elements: RichElement[]): string {
  const textOf = (spans: { type: string }[]) =>
    spans.map((span) => ('text' in span ? String(span.text) : '')).join('');
  return elements
    .map((element) =>
      element.type === 'rich_text_list'
        ? element.elements.map((item) => `• ${textOf(item.elements)}`).join('\n')
        : textOf(element.elements),
    )
    .join('\n');
}

/** Shows a group of checkboxes or radio buttons. */
export function Choices({ element }: { element: ChoiceElement }) {
  const { value, change, aria } = useElement(element);
  const name = useId();
  const isMany = element.type === 'checkboxes';
  const initial = isMany ? element.initial_options : element.initial_option;
  const current = value ? (isMany ? value.selected_options : value.selected_option) : initial;
  const chosen = new Set([current ?? []].flat().map((option) => option.value));
  const toggle = (option: OptionObject, isOn: boolean) => {
    if (!isMany) return change({ type: element.type, selected_option: option });
    const selected_options = element.options.filter((each) =>
      each.value === option.value ? isOn : chosen.has(each.value),
    );
    return change({ type: element.type, selected_options });
  };
  return (
    <div class="choices" role={isMany ? 'group' : 'radiogroup'} {...aria}>
      {element.options.map((option) => (
        <label key={option.value} class="choice">
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.has(option.value)}
            onChange={(event) => void toggle(option, event.currentTarget.checked)}
          />
          <span>
            <Text text={option.text as { type: 'mrkdwn'; text: string }} />
            {option.description && (
              <small>
                <Text text={option.description} />
              </small>
            )}
          </span>
        </label>
      ))}
    </div>
  );
}

/** Shows the browser's picker for a date, a time or both. A picker for both uses the browser's time zone. */
export function TimePicker({ element }: { element: TimeElement }) {
  const { value, change, aria } = useElement(element);
  const { kind, read, write } = pickers[element.type];
  const shown = read(value, element) ?? '';
  return (
    <input
      class="field field-time"
      type={kind}
      value={shown}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        void change({ type: element.type, ...write(typed === '' ? null : typed) });
      }}
      {...aria}
    />
  );
}

type Picker = {
  kind: 'date' | 'time' | 'datetime-local';
  read: (value: ElementValue | undefined, element: TimeElement) => string | null | undefined;
  write: (typed: string | null) => Omit<ElementValue, 'type'>;
};

const pickers: Record<TimeElement['type'], Picker> = {
  datepicker: {
    kind: 'date',
    read: (value, element) => (value ? value.selected_date : element.initial_date),
    write: (typed) => ({ selected_date: typed }),
  },
  timepicker: {
    kind: 'time',
    read: (value, element) => (value ? value.selected_time : element.initial_time),
    write: (typed) => ({ selected_time: typed }),
  },
  datetimepicker: {
    kind: 'datetime-local',
    read: (value, element) =>
      localMinute(value ? value.selected_date_time : element.initial_date_time),
    write: (typed) => ({
      selected_date_time: typed === null ? null : Math.floor(new Date(typed).getTime() / 1_000),
    }),
  },
};

/** Formats a time for `datetime-local`, such as `2026-11-21T03:05`. */
function localMinute(seconds: number | null | undefined): string | undefined {
  if (typeof seconds !== 'number') return undefined;
  const date = new Date(seconds * 1_000);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
