import type { OverflowElement } from '../blocks/block-types.ts';
import { Text } from '../blocks/text.tsx';
import { Icon } from '../icon.tsx';
import { useElement } from '../state/use-element.ts';
import { safeHref } from '../text/safe-url.ts';
import { Menu } from './menu.tsx';

export function Overflow({ element }: { element: OverflowElement }) {
  const { act } = useElement(element);
  const items = element.options.map((option, index) => ({
    key: `${index}`,
    label: <Text text={option.text as { type: 'plain_text'; text: string }} />,
    ...(option.description && { description: option.description.text }),
    choose: async () => {
      const href = option.url ? safeHref(option.url) : undefined;
      if (href) window.open(href, '_blank', 'noopener');
      await act({ type: 'overflow', selected_option: option });
    },
  }));
  return (
    <Menu
      label="More options"
      trigger={<Icon name="more" />}
      items={items}
      class="button button-icon"
    />
  );
}
