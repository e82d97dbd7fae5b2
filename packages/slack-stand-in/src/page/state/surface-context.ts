import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ElementValue, OptionGroup, Surface, Touched } from '../../page-protocol.ts';

/** The message or view around a block: what was touched in it, and how its elements speak to the app. */
export type SurfaceState = {
  surface: Surface;
  touched: Touched;
  fieldErrors: Record<string, string>;
  touch: (blockId: string, actionId: string, value: ElementValue) => void;
  act: (blockId: string, actionId: string, value?: ElementValue) => Promise<void>;
  search: (blockId: string, actionId: string, query: string) => Promise<OptionGroup[]>;
};

export const SurfaceContext = createContext<SurfaceState | undefined>(undefined);

/** `input`: told to the app on submit; `dispatching`: at once; `action`: at once, and no label around it. */
export type BlockPlace = {
  blockId: string;
  role: 'input' | 'dispatching' | 'action';
  /** Ids of the label and of the error message around the element, for screen readers. */
  labelId?: string;
  errorId?: string;
};

export const BlockContext = createContext<BlockPlace>({ blockId: '', role: 'action' });

export function useSurface(): SurfaceState {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error('This component stands outside of SurfaceContext.');
  return surface;
}
