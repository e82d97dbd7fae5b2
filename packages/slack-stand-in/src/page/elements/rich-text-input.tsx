import type { RichElement, RichTextInputElement } from '../blocks/block-types.ts';
import { useElement } from '../state/use-element.ts';

/** A plain editor. Its text becomes one rich text section. */
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
