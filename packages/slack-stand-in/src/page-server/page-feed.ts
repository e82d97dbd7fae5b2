import type { WebSocket } from 'ws';
import type { Changes } from '../lib/changes.ts';
import { parseJson } from '../lib/json.ts';
import { type PageEntry, pageClosings } from './page-entry.ts';
import { type FeedFrame, feedHelloSchema } from './page-protocol.ts';

type PageFeedDeps = {
  changes: Changes;
  isToken: (input: string) => boolean;
  /** Returns the content of this person's page; undefined for an unknown person. */
  entriesFor: (person: string) => Map<string, PageEntry> | undefined;
};

/** Time in ms to wait after a change, so that several changes are sent together. */
const gatherMs = 30;

/**
 * Sends the content to each open page over its WebSocket. The first frame has all content, later frames have the
 * changes.
 */
export class PageFeed {
  readonly #deps: PageFeedDeps;
  readonly #endings = new Set<() => void>();
  /** Entries as JSON text, so that each entry is serialized only once. */
  readonly #texts = new WeakMap<PageEntry, string>();

  constructor(deps: PageFeedDeps) {
    this.#deps = deps;
  }

  accept(socket: WebSocket): void {
    socket.on('error', () => socket.terminate());
    socket.once('message', (data) => {
      const hello = feedHelloSchema.safeParse(parseJson(String(data)));
      if (!hello.success || !this.#deps.isToken(hello.data.token)) {
        socket.close(pageClosings.wrongToken, 'wrong token');
      } else if (!this.#deps.entriesFor(hello.data.person)) {
        socket.close(pageClosings.unknownPerson, 'unknown person');
      } else this.#follow(socket, hello.data.person);
    });
  }

  /** Ends all subscriptions to changes, and closes all sockets. */
  stop(): void {
    for (const end of [...this.#endings]) end();
  }

  #follow(socket: WebSocket, person: string): void {
    let sent = new Map<string, string>();
    let timer: NodeJS.Timeout | undefined;
    const push = (type: FeedFrame['type']) => {
      timer = undefined;
      const entries = this.#deps.entriesFor(person) ?? new Map<string, PageEntry>();
      const texts = new Map([...entries].map(([key, entry]) => [key, this.#textOf(entry)]));
      const set = [...entries].filter(([key]) => texts.get(key) !== sent.get(key));
      const removed = [...sent.keys()].filter((key) => !texts.has(key));
      sent = texts;
      if (type === 'changes' && set.length === 0 && removed.length === 0) return;
      socket.send(JSON.stringify({ type, set, removed } satisfies FeedFrame));
    };
    const unsubscribe = this.#deps.changes.subscribe(() => {
      timer ??= setTimeout(push, gatherMs, 'changes');
    });
    const end = () => {
      clearTimeout(timer);
      unsubscribe();
      this.#endings.delete(end);
      socket.terminate();
    };
    this.#endings.add(end);
    socket.once('close', end);
    push('snapshot');
  }

  #textOf(entry: PageEntry): string {
    const text = this.#texts.get(entry) ?? JSON.stringify(entry);
    this.#texts.set(entry, text);
    return text;
  }
}
