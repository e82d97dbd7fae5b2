/** SVG paths of the icons, drawn on a 20 × 20 grid. */
const paths = {
  back: 'M12 4 6 10l6 6',
  check: 'M4 10.5l4 4 8-9',
  circle: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14z',
  close: 'M5 5l10 10M15 5 5 15',
  dots: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM6.8 10h.01M10 10h.01M13.2 10h.01',
  hash: 'M8 4 6.5 16M13.5 4 12 16M4.5 8h12M3.5 12h12',
  lock: 'M5.5 9h9v7h-9zM7.5 9V6.5a2.5 2.5 0 0 1 5 0V9',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  plus: 'M10 4v12M4 10h12',
  reply: 'M8 5 3.5 9.5 8 14M4 9.5h7a5 5 0 0 1 5 5v1',
  send: 'M4 10h11M10.5 5 16 10l-5.5 5',
  smile: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM7 11.5c1.2 2.3 4.8 2.3 6 0M7.6 8h.01M12.4 8h.01',
  swap: 'M4 7h11M12 4l3 3-3 3M16 13H5M8 10l-3 3 3 3',
  'thumb-down':
    'M6.5 11.5V4H4v7.5zM6.5 4h7.2l2 6.2c.2.7-.2 1.3-1 1.3H11l.6 3.6c.1.9-1.2 1.4-1.7.6l-3.4-4.2',
  'thumb-up':
    'M6.5 8.5V16H4V8.5zM6.5 16h7.2l2-6.2c.2-.7-.2-1.3-1-1.3H11l.6-3.6c.1-.9-1.2-1.4-1.7-.6L6.5 8.5',
  traffic: 'M7 16V4M4 7l3-3 3 3M13 4v12M10 13l3 3 3-3',
  eye: 'M2.5 10S5 5 10 5s7.5 5 7.5 5-2.5 5-7.5 5-7.5-5-7.5-5zM10 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
} as const;

export type IconName = keyof typeof paths;

/** Shows an icon. Screen readers skip it, because it's always next to a label or in a labeled button. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 20 20" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

type IconButtonProps = { icon: IconName; label: string; onClick: () => unknown };

export function IconButton({ icon, label, onClick }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
