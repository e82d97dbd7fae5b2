import { Icon } from '../icon.tsx';
import { usePage } from '../state/page-context.ts';
import { writePlace } from '../state/place.ts';

/** On a narrow screen the sidebar is a separate page. This link leads back to it. */
export function BackLink() {
  const { me } = usePage();
  return (
    <a class="back-link" href={writePlace({ person: me.id })} aria-label="Back to all channels">
      <Icon name="back" />
    </a>
  );
}
