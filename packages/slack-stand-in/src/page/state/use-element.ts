import { useContext } from 'preact/hooks';
import type { ElementValue } from '../../page-server/page-protocol.ts';
import type { Confirm } from '../blocks/block-types.ts';
import { usePage } from './page-context.ts';
import { BlockContext, useSurface } from './surface.tsx';

/** Returns the value of one element, and the functions that change the value or send an action. */
export function useElement(element: {
  action_id?: string | undefined;
  confirm?: Confirm | undefined;
}) {
  const { confirm } = usePage();
  const { touched, touch, act, search } = useSurface();
  const { blockId, role, labelId, errorId } = useContext(BlockContext);
  const { action_id: actionId = '' } = element;
  const isConfirmed = async () => !element.confirm || (await confirm(element.confirm));
  return {
    value: touched[blockId]?.[actionId],
    role,
    aria: {
      ...(labelId && { 'aria-labelledby': labelId }),
      ...(errorId && { 'aria-describedby': errorId, 'aria-invalid': true as const }),
    },
    /** Stores the value until the person submits the form. */
    touch: (value: ElementValue) => touch(blockId, actionId, value),
    /** Sends the action now, after a confirmation if the app requires one. */
    act: async (value?: ElementValue) => {
      if (!(await isConfirmed())) return;
      if (value) touch(blockId, actionId, value);
      await act(blockId, actionId, value);
    },
    /** Stores the value if the element is in an input block. Otherwise sends an action at once. */
    change: async (value: ElementValue) => {
      if (role === 'input') return touch(blockId, actionId, value);
      if (!(await isConfirmed())) return;
      touch(blockId, actionId, value);
      await act(blockId, actionId, value);
    },
    search: (query: string) => search(blockId, actionId, query),
  };
}
