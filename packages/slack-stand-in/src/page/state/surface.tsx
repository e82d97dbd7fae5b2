import { type ComponentChildren, createContext } from 'preact';
import { useContext, useMemo, useRef, useState } from 'preact/hooks';
import type {
  ElementValue,
  OptionGroup,
  Surface,
  Touched,
} from '../../page-server/page-protocol.ts';
import { usePage } from './page-context.ts';

/**
 * State of the message or view around a block. It has the entered values, and functions that store values and send
 * actions.
 */
export type SurfaceState = {
  surface: Surface;
  touched: Touched;
  fieldErrors: Record<string, string>;
  touch: (blockId: string, actionId: string, value: ElementValue) => void;
  act: (blockId: string, actionId: string, value?: ElementValue) => Promise<void>;
  search: (blockId: string, actionId: string, query: string) => Promise<OptionGroup[]>;
};

export const SurfaceContext = createContext<SurfaceState | undefined>(undefined);

/**
 * Block around an element. The value in an `input` block is sent when the person submits the form. The other roles send
 * an action at once. An `action` block has no label.
 */
type BlockPlace = {
  blockId: string;
  role: 'input' | 'dispatching' | 'action';
  /** DOM IDs of the element's label and error message, for screen readers. */
  labelId?: string;
  errorId?: string;
};

export const BlockContext = createContext<BlockPlace>({ blockId: '', role: 'action' });

export function useSurface(): SurfaceState {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error('This component needs SurfaceContext.');
  return surface;
}

type SurfaceProps = {
  surface: Surface;
  fieldErrors?: Record<string, string>;
  onTouch?: (touched: Touched) => void;
  children: ComponentChildren;
};

const noErrors = {};

/** Holds the entered values of one message or view until it's submitted or closed. */
export function SurfaceProvider({ surface, fieldErrors, onTouch, children }: SurfaceProps) {
  const { perform } = usePage();
  const [touched, setTouched] = useState<Touched>({});
  // Keep the newest values in a ref, because an element may send an action before the new state is rendered.
  const latest = useRef(touched);
  const state = useMemo<SurfaceState>(() => {
    const touch = (blockId: string, actionId: string, value: ElementValue) => {
      const block = { ...latest.current[blockId], [actionId]: value };
      latest.current = { ...latest.current, [blockId]: block };
      setTouched(latest.current);
      onTouch?.(latest.current);
    };
    const place = (blockId: string, actionId: string) => {
      return { surface, blockId, actionId, touched: latest.current };
    };
    return {
      surface,
      touched,
      fieldErrors: fieldErrors ?? noErrors,
      touch,
      act: async (blockId, actionId, value) => {
        const where = place(blockId, actionId);
        await perform({ type: 'act', ...where, ...(value && { value }) });
      },
      search: async (blockId, actionId, query) => {
        const answer = await perform({ type: 'search', ...place(blockId, actionId), query });
        return answer.ok ? (answer.groups ?? []) : [];
      },
    };
  }, [surface, touched, fieldErrors, perform, onTouch]);
  return <SurfaceContext.Provider value={state}>{children}</SurfaceContext.Provider>;
}
