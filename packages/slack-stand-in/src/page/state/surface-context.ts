import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type {
  ElementValue,
  OptionGroup,
  Surface,
  Touched,
} from '../../page-server/page-protocol.ts';

/** The message or view around a block: its touched values, and how its elements send actions. */
export type SurfaceState = {
  surface: Surface;
  touched: Touched;
  fieldErrors: Record<string, string>;
  touch: (blockId: string, actionId: string, value: ElementValue) => void;
  act: (blockId: string, actionId: string, value?: ElementValue) => Promise<void>;
  search: (blockId: string, actionId: string, query: string) => Promise<OptionGroup[]>;
};

export const SurfaceContext = createContext<SurfaceState | undefined>(undefined);

/** `input`: sent on submit; `dispatching`: sent at once; `action`: sent at once, without a label. */
export type BlockPlace = {
  blockId: string;
  role: 'input' | 'dispatching' | 'action';
  /** Ids of the element's label and error message, for screen readers. */
  labelId?: string;
  errorId?: string;
};

export const BlockContext = createContext<BlockPlace>({ blockId: '', role: 'action' });

export function useSurface(): SurfaceState {
  const surface = useContext(SurfaceContext);
  if (!surface) throw new Error('This component needs SurfaceContext.');
  return surface;
}
