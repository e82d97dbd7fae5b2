import { writeBeginning } from '../../lib/leased-work.ts';
import type {
  Publication,
  PublicationChanges,
  ServicePublications,
} from '../../store/service/service-publications.ts';

/** A leased publication: what is known of it, and how to change that durably. */
export type TrackedPublication = {
  readonly publication: Publication;
  /** @throws LeaseLost */
  record(changes: PublicationChanges): Promise<void>;
  /** Records, right before a step that can't be undone, that it begins. @throws LeaseLost */
  begin(changes: PublicationChanges): Promise<void>;
};

export function trackPublication(
  publications: Pick<ServicePublications, 'record' | 'check'>,
  leased: Publication,
): TrackedPublication {
  let publication = leased;
  async function record(changes: PublicationChanges): Promise<void> {
    await publications.record(leased, changes);
    publication = { ...publication, ...changes };
  }
  return {
    get publication() {
      return publication;
    },
    record,
    begin: (changes) =>
      writeBeginning(
        () => record(changes),
        () => publications.check(leased),
      ),
  };
}
