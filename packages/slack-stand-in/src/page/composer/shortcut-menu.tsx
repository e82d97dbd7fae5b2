import { Menu } from '../elements/menu.tsx';
import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';

/** The app's global shortcuts, next to the composer. */
export function ShortcutMenu({ channelId }: { channelId: string }) {
  const { team, perform } = usePage();
  const items = team.app.globalShortcuts.map(({ callbackId, name, description }) => ({
    key: callbackId,
    label: name,
    description: `${team.app.name} · ${description}`,
    choose: () => perform({ type: 'globalShortcut', callbackId, channel: channelId }),
  }));
  const empty = 'The app has no global shortcuts.';
  return (
    <Menu
      label="Shortcuts"
      trigger={<Icon name="plus" />}
      items={items}
      class="icon-button"
      empty={empty}
    />
  );
}
