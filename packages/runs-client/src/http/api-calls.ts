import type { z } from 'zod';
import type { ApiRequest, CallOptions } from '../call-options.ts';
import { ApiCall, type CallWays, type ReplyInfo } from './api-call.ts';
import type { Caller } from './caller.ts';
import type { HttpReply, ReplyHeaders } from './exchange.ts';
import { readRequestId } from './read-failure.ts';
import { type LoadSchema, readData, readJson } from './read-reply.ts';

export type ApiCalls = ReturnType<typeof createApiCalls>;

/** A function may refuse its arguments: its error becomes a rejection of the call. */
type RequestSource = ApiRequest | (() => ApiRequest);

/** Turns requests into calls that can be awaited for data. */
export function createApiCalls(caller: Caller) {
  function waysOf<Data>(
    source: RequestSource,
    call: CallOptions | undefined,
    read: (reply: HttpReply<Buffer>) => Data | Promise<Data>,
  ): CallWays<Data> {
    const build = () => (typeof source === 'function' ? source() : source);
    return {
      async data() {
        const reply = await caller.send(build(), call);
        return { data: await read(reply), ...infoOf(reply) };
      },
      raw: async () => caller.open(build(), call),
    };
  }

  return {
    waysOf,
    typed: <Schema extends z.ZodType>(
      source: RequestSource,
      load: LoadSchema<Schema>,
      call: CallOptions | undefined,
    ): ApiCall<z.infer<Schema>> =>
      new ApiCall(waysOf(source, call, (reply) => readData(reply, load))),
    /** Any JSON; `undefined` for an empty body. */
    untyped: (request: ApiRequest, call: CallOptions | undefined): ApiCall<unknown> =>
      new ApiCall(
        waysOf(request, call, (reply): unknown =>
          reply.body.length === 0 ? undefined : readJson(reply),
        ),
      ),
  };
}

export function infoOf({ status, headers }: { status: number; headers: ReplyHeaders }): ReplyInfo {
  return { status, headers, requestId: readRequestId(headers) };
}
