import { writeBeginning } from 'base/leased-work';
import type { Publication, PublicationChanges } from '../store/publication.ts';
import type { ServicePublications } from '../store/service-publications.ts';

/** A leased publication: what is known of it, and how to change that durably. */
export type TrackedPublication = {
  readonly publication: Publication;
  /** @throws LeaseLost */
  record(changes: PublicationChanges): Promise<void>;
  /** Records what people see, so that the runs count as changed. @throws LeaseLost */
  announce(changes: PublicationChanges, note?: string): Promise<void>;
  /** Records, right before a step that can't be undone, that it begins. @throws LeaseLost */
  begin(changes: PublicationChanges): Promise<void>;
};

export function trackPublication(
  publications: Pick<ServicePublications, 'record' | 'announce' | 'check'>,
  leased: Publication,
): TrackedPublication {
  async function record(changes: PublicationChanges): Promise<void> {
    await publications.record(leased, changes);
    tracked.publication = { ...tracked.publication, ...changes };
  }
  const tracked = {
    publication: leased,
    record,
    async announce(changes: PublicationChanges, note?: string): Promise<void> {
      await publications.announce(leased, changes, note);
      tracked.publication = { ...tracked.publication, ...changes };
    },
    begin: (changes: PublicationChanges): Promise<void> =>
      writeBeginning(
        () => record(changes),
        () => publications.check(leased),
      ),
  };
  return tracked;
}
