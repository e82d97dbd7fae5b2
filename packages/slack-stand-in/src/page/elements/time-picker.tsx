import type { ElementValue } from '../../page-server/page-protocol.ts';
import type { TimeElement } from '../blocks/block-types.ts';
import { useElement } from '../state/use-element.ts';

/** Date, time or both, with the browser's pickers. Both together use the browser's time zone. */
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

/** `2026-11-21T03:05`, for `datetime-local`. */
function localMinute(seconds: number | null | undefined): string | undefined {
  if (typeof seconds !== 'number') return undefined;
  const date = new Date(seconds * 1_000);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
