import { useMemo } from 'preact/hooks';
import { Blocks } from '../blocks/blocks.tsx';
import { usePage } from '../state/page-context.ts';
import { SurfaceProvider } from '../state/surface.tsx';

export function HomeTab() {
  const { home, team } = usePage();
  const viewId = home?.view.id ?? '';
  const surface = useMemo(() => ({ kind: 'view' as const, viewId }), [viewId]);
  if (!home) {
    return <p class="empty muted">{team.app.name} hasn't published its Home tab yet.</p>;
  }
  return (
    <div class="home-tab" role="tabpanel" aria-label="Home">
      <div class="home-content">
        <SurfaceProvider surface={surface}>
          <Blocks blocks={home.view.blocks} />
        </SurfaceProvider>
      </div>
    </div>
  );
}
