import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ElementValue, Surface, Touched } from '../../page-server/page-protocol.ts';
import { usePage } from './page-context.ts';
import { SurfaceContext, type SurfaceState } from './surface-context.ts';

type SurfaceProps = {
  surface: Surface;
  fieldErrors?: Record<string, string>;
  onTouch?: (touched: Touched) => void;
  children: ComponentChildren;
};

const noErrors = {};

/** Holds the touched values of one message or view until it's submitted or closed. */
export function SurfaceProvider({ surface, fieldErrors, onTouch, children }: SurfaceProps) {
  const { perform } = usePage();
  const [touched, setTouched] = useState<Touched>({});
  // An element may act right after it was touched, before the new state is rendered.
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
