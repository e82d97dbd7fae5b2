import type { ListRunsQuery, ListRunsResponse, Run } from '../contract.ts';
import { ApiCall, type CallWays, type WithResponse } from '../http/api-calls.ts';
import { RunsApiError } from '../runs-api-error.ts';

type FetchPage = (query: ListRunsQuery) => CallWays<ListRunsResponse>;

/** Max number of pages to read, enough for a million runs at 100 a page. */
const mostPages = 10_000;

/** Holds one page of runs, and can fetch the next page. */
export class RunsPage {
  readonly runs: Run[];
  readonly page_info: ListRunsResponse['page_info'];
  readonly #query: ListRunsQuery;
  readonly #fetchPage: FetchPage;
  /**
   * Page number of each cursor, counted from 0. All pages of a list share this map, because a repeated cursor means an
   * endless list.
   */
  readonly #pageOf: Map<string, number>;
  readonly #number: number;

  constructor(
    list: ListRunsResponse,
    query: ListRunsQuery,
    fetchPage: FetchPage,
    pageOf: Map<string, number> = new Map(),
    number = 0,
  ) {
    this.runs = list.runs;
    this.page_info = list.page_info;
    this.#query = query;
    this.#fetchPage = fetchPage;
    this.#pageOf = pageOf;
    this.#number = number;
    if (query.cursor) pageOf.set(query.cursor, number);
  }

  hasNext(): boolean {
    return this.page_info.has_next_page;
  }

  async next(): Promise<RunsPage> {
    const cursor = this.page_info.next_cursor;
    if (!this.hasNext()) throw new RangeError('this is the last page: call hasNext() first');
    if (!cursor) throw endless('has a next page, but no cursor for it');
    const number = this.#number + 1;
    if ((this.#pageOf.get(cursor) ?? number) !== number) throw endless('repeats a cursor');
    if (number >= mostPages) throw endless(`doesn't end after ${mostPages} pages`);
    const query = { ...this.#query, cursor };
    const { data } = await this.#fetchPage(query).data();
    if (data.runs.length > 0 && isSamePage(data.runs, this.runs)) throw endless('repeats a page');
    return new RunsPage(data, query, this.#fetchPage, this.#pageOf, number);
  }
}

function isSamePage(one: readonly Run[], other: readonly Run[]): boolean {
  return one.length === other.length && one.every((run, at) => run.run_id === other[at]?.run_id);
}

function endless(what: string): RunsApiError {
  const message = `the list of runs ${what}; narrow the query, or report it to the operator of the service`;
  return new RunsApiError({ code: 'bad_response', message });
}

/** Max number of empty pages in a row. A filter may leave some pages empty, but not this many. */
const mostEmptyPages = 100;

/** Lists runs. Await the list for the first page, or iterate over the runs of all pages. */
export class RunsList extends ApiCall<RunsPage> implements AsyncIterable<Run> {
  constructor(query: ListRunsQuery, fetchPage: FetchPage) {
    const first = fetchPage(query);
    super({
      raw: first.raw,
      async data(): Promise<WithResponse<RunsPage>> {
        const { data, ...info } = await first.data();
        return { ...info, data: new RunsPage(data, query, fetchPage) };
      },
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Run, void, undefined> {
    let page = await this.then();
    let emptyPages = 0;
    yield* page.runs;
    while (page.hasNext()) {
      page = await page.next();
      emptyPages = page.runs.length === 0 ? emptyPages + 1 : 0;
      if (emptyPages > mostEmptyPages)
        throw endless(`continues after ${mostEmptyPages} empty pages`);
      yield* page.runs;
    }
  }
}
