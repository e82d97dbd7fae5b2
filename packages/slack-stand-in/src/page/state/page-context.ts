import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type {
  ChannelEntry,
  FlexpaneEntry,
  HomeEntry,
  MessageEntry,
  PersonEntry,
  SessionEntry,
  TeamEntry,
} from '../../page-server/page-entry.ts';
import type { PageAction, PageAnswer } from '../../page-server/page-protocol.ts';
import type { Confirm } from '../blocks/block-types.ts';
import type { Place } from './place.ts';

/** State that nearly all components of the page share. */
export type Page = {
  team: TeamEntry;
  me: PersonEntry;
  people: PersonEntry[];
  channels: ChannelEntry[];
  /** Messages of all channels, oldest first. */
  messages: MessageEntry[];
  /** Ephemeral messages that are only shown while their thread is open. */
  passing: MessageEntry[];
  home: HomeEntry | undefined;
  flexpane: FlexpaneEntry | undefined;
  nowMs: number;
  place: Place;
  findPerson: (id: string) => PersonEntry | undefined;
  findChannel: (id: string) => ChannelEntry | undefined;
  findSession: (channel: string, threadTs: string) => SessionEntry | undefined;
  navigate: (place: Place) => void;
  /** Sends the action to the server. Shows an error to the person, and returns it as well. */
  perform: (action: PageAction) => Promise<PageAnswer>;
  /** Asks the person a question. Resolves with true if they confirm. */
  confirm: (question: Confirm) => Promise<boolean>;
};

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('This component needs PageContext.');
  return page;
}
