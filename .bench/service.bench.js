var __defProp = Object.defineProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// test/bench/service.bench.ts
import { mkdtempSync, rmSync as rmSync2 } from "node:fs";
import { tmpdir } from "node:os";
import { join as join6 } from "node:path";
import { Hono as Hono5 } from "hono";
import { sql as sql5 } from "kysely";
import { Pool } from "undici";

// src/lib/logger.ts
import { pino } from "pino";
var secretKeys = ["authorization", "Authorization", "token", "apiKey", "signingSecret", "secret"];
function createLogger(level, destination) {
  const redact = secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  const options = { level, base: null, redact };
  return destination ? pino(options, destination) : pino(options);
}

// src/runs-service/listen.ts
import { createAdaptorServer } from "@hono/node-server";

// src/lib/explained-error.ts
var ExplainedError = class extends Error {
  name = "ExplainedError";
};

// src/runs-service/listen.ts
async function listen(app, host, port) {
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise((resolve3, reject) => {
    server.once(
      "error",
      (error) => reject(
        new ExplainedError(`The runs service cannot listen on ${host}:${port} (${error.code}).`, {
          cause: error
        })
      )
    );
    server.listen(port, host, resolve3);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return {
    port: address.port,
    close: () => new Promise((resolve3) => {
      server.close(() => resolve3());
      if ("closeAllConnections" in server) server.closeAllConnections();
    })
  };
}

// src/runs-service/runs-service.ts
import { resolve as resolve2 } from "node:path";

// src/store/service-keys.ts
function createServiceKeys(db2) {
  return {
    async add(key) {
      await db2.insertInto("service_keys").values({ ...key, created_at: Date.now(), revoked_at: null }).execute();
    },
    async list() {
      return db2.selectFrom("service_keys").selectAll().orderBy("created_at").execute();
    },
    async findValid(keyHash2) {
      return db2.selectFrom("service_keys").selectAll().where("key_hash", "=", keyHash2).where("revoked_at", "is", null).executeTakeFirst();
    },
    /** Revokes the valid keys that begin so; gives how many there were. */
    async revoke(prefix) {
      const result = await db2.updateTable("service_keys").set({ revoked_at: Date.now() }).where("prefix", "=", prefix).where("revoked_at", "is", null).executeTakeFirst();
      return Number(result.numUpdatedRows);
    }
  };
}

// src/store/service-run-followups.ts
import { sql as sql2 } from "kysely";

// src/store/service-runs.ts
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
function nextMoment(nowMs) {
  return sql`(select case when max(updated_at) >= ${nowMs} then max(updated_at) + 1 else ${nowMs} end from service_runs)`;
}
async function find(db2, column, value) {
  return db2.selectFrom("service_runs").selectAll().where(column, "=", value).executeTakeFirst();
}
async function create(db2, run) {
  const id = randomUUID();
  const nowMs = Date.now();
  const { metadata, conversationId, ...columns } = run;
  const created = await db2.transaction().execute(async (trx) => {
    const row = await trx.insertInto("service_runs").values({
      ...columns,
      id,
      search_text: `${run.title}
${run.prompt}`.toLowerCase(),
      state: "QUEUED",
      status_json: null,
      conversation_id: conversationId ?? randomUUID(),
      created_at: nowMs,
      updated_at: nextMoment(nowMs),
      started_at: null,
      ended_at: null,
      cancel_requested: 0,
      followups_closed: 0,
      lease_owner: null,
      lease_until: null
    }).onConflict((conflict) => conflict.column("idempotency_key").doNothing()).returningAll().executeTakeFirst();
    if (!row) return void 0;
    const change = { run_id: id, changed_at: row.updated_at, until_at: null, note: null };
    await trx.insertInto("service_run_changes").values({ ...change, state: row.state }).execute();
    const pairs = Object.entries(metadata).map(([key, value]) => ({
      run_id: id,
      key,
      value,
      updated_at: row.updated_at
    }));
    if (pairs.length > 0) await trx.insertInto("service_run_metadata").values(pairs).execute();
    return row;
  });
  const existing = created ?? await find(db2, "idempotency_key", run.idempotency_key ?? "");
  if (!existing) throw new Error("A run could neither be written nor found by its key.");
  return existing;
}
async function changeServiceRun(trx, id, { from, owner, takesFollowups }, { note, ...set }) {
  let statement = trx.updateTable("service_runs").set({ ...set, updated_at: nextMoment(Date.now()) }).where("id", "=", id).where("state", "in", from);
  if (owner !== void 0) statement = statement.where("lease_owner", "=", owner);
  if (takesFollowups) statement = statement.where("followups_closed", "=", 0);
  const row = await statement.returningAll().executeTakeFirst();
  if (!row) return void 0;
  await trx.updateTable("service_run_changes").set({ until_at: row.updated_at }).where("run_id", "=", id).where("until_at", "is", null).execute();
  await trx.updateTable("service_run_metadata").set({ updated_at: row.updated_at }).where("run_id", "=", id).execute();
  await trx.insertInto("service_run_changes").values({
    run_id: id,
    changed_at: row.updated_at,
    until_at: null,
    state: row.state,
    note: note ?? null
  }).execute();
  return row;
}
function createServiceRuns(db2) {
  return {
    create: (run) => create(db2, run),
    change: (id, from, update, owner) => db2.transaction().execute((trx) => changeServiceRun(trx, id, { from, owner }, update)),
    get: (id) => find(db2, "id", id),
    getBySessionToken: (token) => find(db2, "session_token", token),
    getByIdempotencyKey: (key) => find(db2, "idempotency_key", key),
    async changesOf(runId) {
      return db2.selectFrom("service_run_changes").selectAll().where("run_id", "=", runId).orderBy("changed_at").execute();
    },
    async metadataOf(runIds) {
      const found = /* @__PURE__ */ new Map();
      if (runIds.length === 0) return found;
      const pairs = await db2.selectFrom("service_run_metadata").selectAll().where("run_id", "in", runIds).orderBy("key").execute();
      for (const { run_id, key, value } of pairs) {
        found.set(run_id, { ...found.get(run_id), [key]: value });
      }
      return found;
    }
  };
}

// src/store/service-run-followups.ts
async function setClosed(trx, runId, closed) {
  await trx.updateTable("service_runs").set({ followups_closed: closed }).where("id", "=", runId).execute();
}
function createServiceRunFollowups(db2) {
  return {
    /** Keeps the message, if the run is in one of these states and still takes messages. */
    async add(runId, from, message) {
      return db2.transaction().execute(async (trx) => {
        const condition = { from, takesFollowups: true };
        const note = "Follow-up received";
        if (!await changeServiceRun(trx, runId, condition, { note })) return false;
        await trx.insertInto("service_run_followups").values({
          run_id: runId,
          number: sql2`(select coalesce(max(number), 0) + 1 from service_run_followups where run_id = ${runId})`,
          message,
          created_at: Date.now(),
          taken_at: null
        }).execute();
        return true;
      });
    },
    /** The next message; or undefined, and from then on the run takes no more. */
    async takeOrClose(runId) {
      return db2.transaction().execute(async (trx) => {
        await setClosed(trx, runId, 1);
        const next = await trx.selectFrom("service_run_followups").select(["number", "message"]).where("run_id", "=", runId).where("taken_at", "is", null).orderBy("number").limit(1).executeTakeFirst();
        if (!next) return void 0;
        await setClosed(trx, runId, 0);
        await trx.updateTable("service_run_followups").set({ taken_at: Date.now() }).where("run_id", "=", runId).where("number", "=", next.number).execute();
        return next.message;
      });
    },
    async listOf(runId) {
      const rows = await db2.selectFrom("service_run_followups").select("message").where("run_id", "=", runId).orderBy("number").execute();
      return rows.map(({ message }) => message);
    }
  };
}

// src/store/service-run-list.ts
import { sql as sql3 } from "kysely";
function containing(text2) {
  return `%${text2.toLowerCase().replace(/[\\%_]/g, (found) => `\\${found}`)}%`;
}
function conditions(filter) {
  const found = [];
  if (filter.states) found.push(sql3`r.state in (${sql3.join([...filter.states])})`);
  if (filter.configName !== void 0) found.push(sql3`r.config_name = ${filter.configName}`);
  if (filter.modelId !== void 0) found.push(sql3`r.model_id = ${filter.modelId}`);
  if (filter.creatorUid !== void 0) found.push(sql3`r.creator_uid = ${filter.creatorUid}`);
  if (filter.source !== void 0) found.push(sql3`r.source = ${filter.source}`);
  if (filter.environmentId !== void 0)
    found.push(sql3`r.environment_id = ${filter.environmentId}`);
  if (filter.skillSpec !== void 0) found.push(sql3`r.skill_spec = ${filter.skillSpec}`);
  if (filter.createdAfter !== void 0)
    found.push(
      sql3`r.created_at > ${filter.createdAfter} and r.updated_at > ${filter.createdAfter}`
    );
  if (filter.createdBefore !== void 0) found.push(sql3`r.created_at < ${filter.createdBefore}`);
  if (filter.updatedAfter !== void 0) found.push(sql3`r.updated_at > ${filter.updatedAfter}`);
  if (filter.search !== void 0)
    found.push(sql3`r.search_text like ${containing(filter.search)} escape '\\'`);
  for (const [key, value] of Object.entries(filter.metadata ?? {})) {
    found.push(
      sql3`exists (select 1 from service_run_metadata m where m.run_id = r.id and m.key = ${key} and m.value = ${value})`
    );
  }
  return found;
}
function beyond(query, key) {
  if (!query.after) return [];
  const sign = sql3.raw(query.sortOrder === "desc" ? "<" : ">");
  const { key: from, id } = query.after;
  return [sql3`${key} ${sign}= ${from}`, sql3`(${key}, r.id) ${sign} (${from}, ${id})`];
}
async function select(db2, query, from, key, bounds) {
  const all = [...conditions(query.filter), ...beyond(query, key), ...bounds, sql3`1 = 1`];
  const order = sql3.raw(query.sortOrder);
  const { rows } = await sql3`
    select r.*, ${key} as sort_key from ${from}
    where ${sql3.join(all, sql3` and `)}
    order by ${key} ${order}, r.id ${order} limit ${query.limit + 1}`.execute(db2);
  return rows;
}
async function listServiceRuns(db2, query) {
  const snapshot = query.after?.snapshot ?? await newestChange(db2);
  const byChange = query.sortBy === "updated_at";
  const { from, key, where } = startingFrom(query);
  const above = byChange && !(query.after && query.sortOrder === "desc");
  const bounds = above ? [sql3`${key} <= ${snapshot}`] : [];
  const listed = await select(db2, query, from, key, [...where, ...bounds]);
  if (byChange && query.after) {
    const changes = sql3`service_run_changes c cross join service_runs r`;
    const changedSince = [
      sql3`r.id = c.run_id`,
      sql3`c.until_at > ${snapshot} and c.changed_at <= ${snapshot}`
    ];
    listed.push(...await select(db2, query, changes, sql3.raw("c.changed_at"), changedSince));
    const sign = query.sortOrder === "desc" ? -1 : 1;
    listed.sort((a, b) => sign * compare(a, b));
  }
  const runs = listed.slice(0, query.limit);
  const last = runs.at(-1);
  if (!last || listed.length <= query.limit) return { runs };
  return { runs, next: { key: last.sort_key, id: last.id, snapshot } };
}
function startingFrom({ filter, sortBy }) {
  const [pair] = Object.entries(filter.metadata ?? {});
  if (!pair) return { from: sql3`service_runs r`, key: sql3.raw(`r.${sortBy}`), where: [] };
  const [name, value] = pair;
  return {
    from: sql3`service_run_metadata p cross join service_runs r`,
    key: sql3.raw(sortBy === "updated_at" ? "p.updated_at" : `r.${sortBy}`),
    where: [sql3`p.key = ${name} and p.value = ${value} and r.id = p.run_id`]
  };
}
function compare(a, b) {
  if (a.sort_key === b.sort_key) return a.id < b.id ? -1 : 1;
  return a.sort_key < b.sort_key ? -1 : 1;
}
async function newestChange(db2) {
  const row = await db2.selectFrom("service_runs").select(({ fn }) => fn.max("updated_at").as("newest")).executeTakeFirst();
  return row?.newest ?? 0;
}

// src/store/service-run-queue.ts
function createServiceRunQueue(db2) {
  async function groups(state) {
    const rows = await db2.selectFrom("service_runs").select(({ fn }) => [
      "creator_uid as creatorUid",
      "environment_id as environmentId",
      fn.countAll().as("count"),
      fn.min("created_at").as("oldestCreatedAt")
    ]).where("state", "=", state).groupBy(["creator_uid", "environment_id"]).execute();
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  }
  return {
    groups,
    async oldestQueued(creatorUid, environmentId) {
      return db2.selectFrom("service_runs").selectAll().where("state", "=", "QUEUED").where("creator_uid", "=", creatorUid).where("environment_id", "=", environmentId).orderBy("created_at").limit(1).executeTakeFirst();
    },
    /** Runs that are marked as going: of one service process, or of any whose lease ran out before `leaseBefore`. */
    async going(which) {
      const query = db2.selectFrom("service_runs").selectAll().where("state", "=", "INPROGRESS");
      return "owner" in which ? query.where("lease_owner", "=", which.owner).execute() : query.where("lease_until", "<", which.leaseBefore).execute();
    },
    async renewLeases(owner, untilMs) {
      await db2.updateTable("service_runs").set({ lease_until: untilMs }).where("state", "=", "INPROGRESS").where("lease_owner", "=", owner).execute();
    },
    /** How many runs wait before one that was created at `createdAt`. */
    async countQueuedBefore(createdAt) {
      const row = await db2.selectFrom("service_runs").select(({ fn }) => fn.countAll().as("count")).where("state", "=", "QUEUED").where("created_at", "<", createdAt).executeTakeFirst();
      return Number(row?.count ?? 0);
    }
  };
}

// src/runs-service/app.ts
import { randomUUID as randomUUID2 } from "node:crypto";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";

// src/runs-service/problem.ts
var statuses = {
  invalid_request: 400,
  already_ended: 400,
  authentication_required: 401,
  not_authorized: 403,
  resource_not_found: 404,
  operation_not_supported: 405,
  conflict: 409,
  request_too_large: 413,
  unsupported_media_type: 415,
  cannot_be_processed: 422,
  rate_limited: 429,
  internal_error: 500,
  resource_unavailable: 503
};
var titles = {
  invalid_request: "The request is malformed",
  already_ended: "The run has already ended",
  authentication_required: "A valid API key is needed",
  not_authorized: "This key may not do that",
  resource_not_found: "There is no such thing here",
  operation_not_supported: "This method is not offered here",
  conflict: "Try again in a moment",
  request_too_large: "The request is too large",
  unsupported_media_type: "The content type is not supported",
  cannot_be_processed: "The request cannot be processed",
  rate_limited: "Too many requests",
  internal_error: "The service failed",
  resource_unavailable: "The service is not available"
};
var ApiProblem = class extends Error {
  code;
  headers;
  constructor(code, detail, headers2 = {}) {
    super(detail);
    this.name = "ApiProblem";
    this.code = code;
    this.headers = headers2;
  }
};
function problemResponse(problem, instance, traceId) {
  const status = statuses[problem.code];
  const body2 = {
    error: problem.message,
    status,
    title: titles[problem.code],
    type: `urn:slash-agent:problem:${problem.code}`,
    detail: problem.message,
    instance,
    retryable: status === 409 || status === 429 || status >= 500,
    trace_id: traceId
  };
  const headers2 = { ...problem.headers, "content-type": "application/problem+json" };
  return new Response(JSON.stringify(body2), { status, headers: headers2 });
}

// src/runs-service/authentication.ts
function requireKey(keyring) {
  const challenge = { "www-authenticate": 'Bearer realm="runs"' };
  return async (context, next) => {
    const key = /^Bearer +(\S+)$/i.exec(context.req.header("authorization") ?? "")?.[1];
    if (key === void 0)
      throw new ApiProblem(
        "authentication_required",
        'Send an API key in the header "Authorization: Bearer <key>".',
        challenge
      );
    const caller = await keyring.ownerOf(key);
    if (!caller)
      throw new ApiProblem(
        "authentication_required",
        "This API key is not known here, or was revoked. Ask whoever runs this service for one.",
        challenge
      );
    context.set("caller", caller);
    await next();
  };
}

// src/runs-service/rate-limit.ts
function limitRate({
  requestsPerMinute,
  now = () => performance.now()
}) {
  const perMs = requestsPerMinute / 6e4;
  const buckets = /* @__PURE__ */ new Map();
  return async (context, next) => {
    const owner = context.get("caller").creator.uid;
    const at2 = now();
    const bucket = buckets.get(owner) ?? { tokens: requestsPerMinute, at: at2 };
    const tokens = Math.min(requestsPerMinute, bucket.tokens + (at2 - bucket.at) * perMs);
    buckets.set(owner, { tokens: Math.max(0, tokens - 1), at: at2 });
    if (tokens < 1) {
      const seconds = Math.ceil((1 - tokens) / perMs / 1e3);
      throw new ApiProblem(
        "rate_limited",
        `More than ${requestsPerMinute} requests a minute. Try again in ${seconds} s.`,
        { "retry-after": String(seconds) }
      );
    }
    await next();
  };
}

// src/runs-service/app.ts
var defaultRequestsPerMinute = 6e3;
var maxBodyBytes = 2 * 1024 * 1024;
function createRunsApp(options) {
  const { keyring, api, open: open3, logger, requestsPerMinute = defaultRequestsPerMinute } = options;
  const app = new Hono();
  const guarded = new Hono();
  guarded.use("*", requireKey(keyring));
  guarded.use("*", limitRate({ requestsPerMinute }));
  guarded.use(
    "*",
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => {
        throw new ApiProblem(
          "request_too_large",
          `The body may have at most ${maxBodyBytes} bytes.`
        );
      }
    })
  );
  for (const routes of api) guarded.route("/", routes);
  app.get("/healthz", (context) => context.text("ok"));
  for (const routes of open3) app.route("/", routes);
  app.route("/api/v1", guarded);
  app.notFound(
    (context) => problemResponse(
      new ApiProblem(
        "resource_not_found",
        `There is nothing at ${context.req.method} ${context.req.path}.`
      ),
      context.req.path,
      randomUUID2()
    )
  );
  app.onError((error, context) => {
    const traceId = randomUUID2();
    if (error instanceof ApiProblem) return problemResponse(error, context.req.path, traceId);
    logger.error({ err: error, traceId, path: context.req.path }, "a request failed");
    const hidden = new ApiProblem(
      "internal_error",
      `Something went wrong in the service. Its log has the reference ${traceId}.`
    );
    return problemResponse(hidden, context.req.path, traceId);
  });
  return app;
}

// src/runs-service/catalog-routes.ts
import { Hono as Hono2 } from "hono";

// src/runs-service/environments.ts
import { basename, dirname, isAbsolute, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
var argv = z.array(z.string()).min(1, { error: "needs at least the name of a program" });
var variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);
var repositorySchema = z.strictObject({
  /** Anything that git clones: `https://…`, `git@…`, or a folder (relative to the environments file). */
  url: z.string().min(1),
  branch: z.string().min(1).optional(),
  /** `owner/repo` as skills name it; taken from the address unless given. */
  name: z.string().regex(/^[\w.-]+\/[\w.-]+$/).optional()
});
var serviceEnvironmentSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  name: z.string().min(1).optional(),
  description: z.string().optional(),
  repositories: z.array(repositorySchema).min(1),
  /** The agent, as an argv array: it never goes through a shell. The prompt comes over stdin and as AGENT_PROMPT. */
  command: argv,
  /** Commands that prepare the checkout, each an argv array. */
  setup: z.array(argv).optional(),
  variables: z.record(variableName, z.string()).optional(),
  /** Variables whose values are read from files when a run starts; they are never stored or shown. */
  secret_files: z.record(variableName, z.string()).optional(),
  time_limit_seconds: z.number().positive().optional(),
  concurrency: z.number().int().positive().optional(),
  /** Taken when a request names no environment. */
  default: z.boolean().optional()
});
var fileSchema = z.strictObject({ environments: z.array(serviceEnvironmentSchema).min(1) }).superRefine(({ environments }, context) => {
  const ids = environments.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== void 0)
    context.addIssue({ code: "custom", message: `has the id "${twice}" twice` });
  if (environments.filter((environment) => environment.default).length > 1)
    context.addIssue({ code: "custom", message: "has more than one default environment" });
});
function repositoryName({ name, url }) {
  if (name !== void 0) return name;
  const parts = url.replace(/\.git\/?$/, "").split(/[/:]/).filter(Boolean);
  return parts.slice(-2).join("/");
}
function repositoryFolder(repository) {
  return basename(repositoryName(repository));
}
function findEnvironment(environments, id) {
  if (id !== void 0) return environments.find((environment) => environment.id === id);
  const [only] = environments;
  return environments.length === 1 ? only : environments.find((each) => each.default);
}

// src/runs-service/skills.ts
import { parse as parse2 } from "yaml";
import { z as z2 } from "zod";

// src/runs-service/process-group.ts
import { spawn } from "node:child_process";

// src/lib/sleep.ts
function sleep(ms, signal) {
  return new Promise((resolve3) => {
    if (signal?.aborted) {
      resolve3();
      return;
    }
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve3();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener("abort", finish, { once: true });
  });
}

// src/runs-service/process-group.ts
function signalGroup(pid, signal) {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
async function runInGroup(request) {
  if (request.signal.aborted) return { how: "aborted" };
  const [program = "", ...args] = request.command;
  const child = spawn(program, args, {
    cwd: request.cwd,
    env: request.variables,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"]
  });
  const exit = whenExited(child);
  if (child.pid === void 0) return exit;
  request.onStart?.(child.pid);
  child.stdout.on("data", (chunk) => request.onOutput(chunk, "stdout"));
  child.stderr.on("data", (chunk) => request.onOutput(chunk, "stderr"));
  const closed = new Promise((resolve3) => child.once("close", () => resolve3()));
  child.stdin.on("error", () => void 0);
  child.stdin.end(request.input ?? "");
  const early = await endOrLimit(exit, request);
  if (early === void 0) await terminate(child.pid, exit, request.graceMs);
  const end = await exit;
  signalGroup(child.pid, "SIGKILL");
  await firstWithin(closed, closeWaitMs);
  child.stdout.destroy();
  child.stderr.destroy();
  if (early !== void 0) return end;
  return { how: request.signal.aborted ? "aborted" : "timed-out" };
}
var closeWaitMs = 500;
function whenExited(child) {
  return new Promise((resolve3) => {
    child.once(
      "error",
      (error) => resolve3({ how: "not-started", reason: error.code ?? error.message })
    );
    child.once(
      "exit",
      (code, signal) => resolve3(code === null ? { how: "killed", signal: signal ?? "" } : { how: "exited", code })
    );
  });
}
async function endOrLimit(exit, { timeoutMs, signal }) {
  return firstWithin(exit, timeoutMs, signal);
}
async function firstWithin(promise, ms, signal) {
  const done = new AbortController();
  const signals = signal ? [signal, done.signal] : [done.signal];
  const limit = sleep(ms, AbortSignal.any(signals)).then(() => void 0);
  const first = await Promise.race([promise, limit]);
  done.abort();
  return first;
}
async function terminate(pid, exit, graceMs) {
  signalGroup(pid, "SIGTERM");
  await firstWithin(exit, graceMs);
  signalGroup(pid, "SIGKILL");
}

// src/runs-service/git.ts
var GitError = class extends Error {
  constructor(message) {
    super(message);
    this.name = "GitError";
  }
};
var gitTimeoutMs = 10 * 6e4;
var settings = [
  "core.hooksPath=/dev/null",
  "init.templateDir=",
  "init.defaultBranch=main",
  "gc.auto=0",
  "maintenance.auto=false",
  "safe.directory=*",
  "protocol.ext.allow=never",
  "core.fsmonitor=false",
  "core.quotePath=false",
  "advice.detachedHead=false"
].flatMap((setting) => ["-c", setting]);
async function runGit(args, options) {
  const printed = [];
  const said = [];
  let bytes = 0;
  const end = await runInGroup({
    command: ["git", ...settings, ...args],
    cwd: options.cwd,
    variables: {
      PATH: options.path,
      HOME: options.cwd,
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_TERMINAL_PROMPT: "0",
      GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
      ...options.variables
    },
    onOutput: (chunk, stream) => {
      if (stream === "stderr") {
        if (said.length < 200) said.push(chunk);
        return;
      }
      bytes += chunk.length;
      if (bytes <= (options.maxBytes ?? Number.POSITIVE_INFINITY)) printed.push(chunk);
    },
    timeoutMs: options.timeoutMs ?? gitTimeoutMs,
    graceMs: 2e3,
    signal: options.signal
  });
  if (end.how === "exited" && end.code === 0) return Buffer.concat(printed).toString("utf8");
  if (end.how === "not-started") throw new GitError(`git could not be started (${end.reason})`);
  if (end.how === "timed-out") throw new GitError(`git ${args[0]} took too long and was ended`);
  throw new GitError(lastWords(Buffer.concat(said).toString("utf8")) || `git ${args[0]} failed`);
}
function lastWords(text2) {
  const lines = withoutCredentials(text2).split(/[\r\n]+/).map((line) => line.trim());
  const complaint = lines.filter((line) => /^(fatal|error|remote):/.test(line));
  return (complaint.length > 0 ? complaint : lines.filter(Boolean)).slice(-4).join("\n");
}
function withoutCredentials(text2) {
  return text2.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@'"]*@/gi, "$1");
}

// src/runs-service/skills.ts
var headSchema = z2.looseObject({ name: z2.string(), description: z2.string() }).partial();
var skillFile = /(?:^|\/)([^/]+)\/SKILL\.md$/i;
var maxSkills = 200;
function createSkills({ checkouts, logger }) {
  async function skillsOf(repository, signal) {
    const files = await checkouts.readFiles(
      repository,
      (path) => skillFile.test(path),
      maxSkills,
      signal
    );
    return files.map(({ path, content }) => readSkill(repositoryName(repository), path, content));
  }
  return {
    /** Every skill with the environments that have it; a repository that cannot be had is left out and logged. */
    async listAll(environments, signal) {
      const found = /* @__PURE__ */ new Map();
      for (const environment of environments) {
        for (const repository of environment.repositories) {
          for (const skill of await orNone(skillsOf(repository, signal), repository, logger)) {
            const id = skillId(skill);
            const entry = found.get(id) ?? { skill, environments: [] };
            entry.environments.push(environment);
            found.set(id, entry);
          }
        }
      }
      return [...found.values()].sort((a, b) => a.skill.name.localeCompare(b.skill.name));
    },
    /** The skill that `owner/repo:skill-name` or `owner/repo:path/to/SKILL.md` names, or what there is instead. */
    async find(environment, spec, signal) {
      const skills = [];
      for (const repository of environment.repositories)
        skills.push(...await skillsOf(repository, signal));
      const skill = skills.find((each) => isNamedBy(each, spec));
      return skill ? { skill } : { known: skills.map(skillId) };
    }
  };
}
var skillId = ({ repository, path }) => `${repository}:${path}`;
function isNamedBy(skill, spec) {
  const at2 = spec.indexOf(":");
  const wanted = spec.slice(at2 + 1);
  if (spec.slice(0, Math.max(0, at2)).toLowerCase() !== skill.repository.toLowerCase()) return false;
  return wanted === skill.path || wanted === skill.name || wanted === folderOf(skill.path);
}
var folderOf = (path) => skillFile.exec(path)?.[1] ?? path;
function readSkill(repository, path, content) {
  const [, head = "", body2 = content] = /^---\r?\n(.*?)\r?\n---\r?\n(.*)$/s.exec(content) ?? [];
  const read = headSchema.safeParse(readYaml(head));
  const { name, description } = read.success ? read.data : {};
  return {
    name: name ?? folderOf(path),
    description: description ?? "",
    basePrompt: body2.trim(),
    repository,
    path
  };
}
function readYaml(text2) {
  try {
    return parse2(text2) ?? {};
  } catch {
    return {};
  }
}
async function orNone(skills, repository, logger) {
  try {
    return await skills;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const name = repositoryName(repository);
    logger.warn({ repository: name, why: error.message }, "skills could not be read");
    return [];
  }
}

// src/runs-service/catalog-routes.ts
function createCatalogRoutes({ environments, skills }) {
  const app = new Hono2();
  app.get("/agent/environments", (context) => {
    const answer = {
      environments: environments().map((environment) => ({
        uid: environment.id,
        config: {
          name: environment.name ?? environment.id,
          ...environment.description !== void 0 && { description: environment.description },
          github_repos: environment.repositories.map((repository) => {
            const [owner = "", repo = ""] = repositoryName(repository).split("/");
            return { owner, repo };
          })
        }
      }))
    };
    return context.json(answer);
  });
  app.get("/agent", async (context) => {
    const repository = context.req.query("repo")?.toLowerCase();
    const found = await skills.listAll(environments(), context.req.raw.signal);
    const variants = found.filter(({ skill }) => !repository || skill.repository.toLowerCase() === repository).map((each) => ({ name: each.skill.name, variant: presentVariant(each) }));
    const names = [...new Set(variants.map(({ name }) => name))];
    const answer = {
      agents: names.map((name) => ({
        name,
        variants: variants.filter((each) => each.name === name).map(({ variant }) => variant)
      }))
    };
    return context.json(answer);
  });
  return app;
}
function presentVariant({ skill, environments }) {
  const [owner = "", name = ""] = skill.repository.split("/");
  return {
    id: skillId(skill),
    description: skill.description,
    base_prompt: skill.basePrompt,
    source: { owner, name, skill_path: skill.path },
    environments: environments.map(({ id, name: label }) => ({ uid: id, name: label ?? id }))
  };
}

// src/runs-service/checkout.ts
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename as basename2, join } from "node:path";
var readableForMs = 6e4;
function createCheckouts({ mirrorsDir, path }) {
  const busy = /* @__PURE__ */ new Map();
  const refreshedAt = /* @__PURE__ */ new Map();
  function inTurn(mirror, work) {
    const turn = (busy.get(mirror) ?? Promise.resolve()).then(work, work);
    const settled = turn.catch(() => void 0).then(() => {
      if (busy.get(mirror) === settled) busy.delete(mirror);
    });
    busy.set(mirror, settled);
    return turn;
  }
  async function refreshMirror(url, signal, runId, maxAgeMs = 0) {
    const mirror = join(mirrorsDir, `${createHash("sha256").update(url).digest("hex")}.git`);
    const options = { cwd: mirrorsDir, signal, path, variables: { AGENT_RUN_ID: runId } };
    await inTurn(mirror, async () => {
      await mkdir(mirrorsDir, { recursive: true, mode: 448 });
      try {
        const fresh = Date.now() - (refreshedAt.get(mirror) ?? 0) < maxAgeMs;
        if (existsSync(mirror)) {
          if (!fresh) await fetchInto(mirror, options);
          refreshedAt.set(mirror, Date.now());
          return;
        }
      } catch (error) {
        if (!(error instanceof GitError && error.message.includes(".lock"))) throw error;
        await rm(mirror, { recursive: true, force: true });
      }
      const unfinished = `${mirror}.new`;
      await rm(unfinished, { recursive: true, force: true });
      await runGit(["clone", "--quiet", "--mirror", "--", url, unfinished], options);
      await rename(unfinished, mirror);
      refreshedAt.set(mirror, Date.now());
    });
    return mirror;
  }
  async function checkOut({ repository, workDir, signal }) {
    const runId = basename2(workDir);
    const mirror = await refreshMirror(repository.url, signal, runId);
    const options = { cwd: workDir, signal, path, variables: { AGENT_RUN_ID: runId } };
    const folder2 = repositoryFolder(repository);
    const dir = join(workDir, "repo", folder2);
    const branch = repository.branch === void 0 ? [] : ["--branch", repository.branch];
    await runGit(["clone", "--quiet", ...branch, "--", mirror, dir], options);
    const origin = withoutCredentials(repository.url);
    await runGit(["-C", dir, "remote", "set-url", "origin", origin], options);
    const base = (await runGit(["-C", dir, "rev-parse", "HEAD"], options)).trim();
    const observerDir = join(workDir, "observer", `${folder2}.git`);
    await runGit(["clone", "--quiet", "--bare", "--shared", "--", mirror, observerDir], options);
    return { folder: folder2, dir, observerDir, base };
  }
  async function readFiles(repository, isWanted, atMost, signal) {
    const mirror = await refreshMirror(repository.url, signal, "", readableForMs);
    const options = { cwd: mirrorsDir, signal, path };
    const ref = repository.branch ?? "HEAD";
    const tree = ["-C", mirror, "ls-tree", "-r", "-z", "--name-only", ref];
    const names = (await runGit(tree, options)).split("\0").filter(isWanted).slice(0, atMost);
    const files = [];
    for (const name of names) {
      const content = await runGit(["-C", mirror, "show", `${ref}:${name}`], options);
      files.push({ path: name, content });
    }
    return files;
  }
  return { checkOut, readFiles };
}
async function fetchInto(mirror, options) {
  const everything = "+refs/*:refs/*";
  await runGit(["-C", mirror, "fetch", "--quiet", "--prune", "origin", everything], options);
}
async function readChanges(checkout, options) {
  const variables = { GIT_INDEX_FILE: join(checkout.observerDir, "observer-index") };
  const git = (...args) => runGit(["--git-dir", checkout.observerDir, "--work-tree", checkout.dir, ...args], {
    ...options,
    cwd: checkout.dir,
    variables
  });
  await git("read-tree", checkout.base);
  await git("add", "--all", "--", ".");
  return git(
    "diff",
    "--cached",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--find-renames",
    checkout.base
  );
}

// src/runs-service/instance.ts
import { randomUUID as randomUUID3 } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join as join2 } from "node:path";
import { z as z3 } from "zod";
var recordSchema = z3.object({ owner: z3.string(), pid: z3.number(), startedAt: z3.string() });
function claimDataDir(dataDir) {
  mkdirSync(dataDir, { recursive: true });
  const file = join2(dataDir, "runs-service.json");
  const earlier = readRecord(file);
  if (earlier && earlier.pid !== process.pid && startOf(earlier.pid) === earlier.startedAt)
    throw new ExplainedError(
      `The data folder ${dataDir} is used by another runs service (process ${earlier.pid}). Stop it, or give this one its own DATA_DIR.`
    );
  const owner = randomUUID3();
  const record = { owner, pid: process.pid, startedAt: startOf(process.pid) ?? "" };
  writeFileSync(file, JSON.stringify(record));
  return {
    owner,
    ...earlier && { crashedOwner: earlier.owner },
    release: () => rmSync(file, { force: true })
  };
}
function readRecord(file) {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return void 0;
  }
}
function startOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === "ESRCH") return void 0;
  }
  try {
    const stat2 = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat2.slice(stat2.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return "";
  }
}

// src/runs-service/keyring.ts
import { createHash as createHash2, timingSafeEqual } from "node:crypto";
import { z as z4 } from "zod";
var ownerSchema = z4.object({
  type: z4.enum(["user", "service_account"]),
  uid: z4.string(),
  display_name: z4.string()
});
var entrySchema = z4.string().regex(/^(service:)?[A-Za-z0-9._@-]+=.{8,}$/, {
  error: "must be <name>=<key>, or service:<name>=<key>, the key at least 8 characters long"
}).transform((entry) => {
  const [owner = "", key = ""] = splitOnce(entry, "=");
  const service2 = owner.startsWith("service:");
  const uid = service2 ? owner.slice("service:".length) : owner;
  return {
    key,
    creator: { type: service2 ? "service_account" : "user", uid, display_name: uid }
  };
});
function splitOnce(text2, separator) {
  const at2 = text2.indexOf(separator);
  return [text2.slice(0, at2), text2.slice(at2 + separator.length)];
}
var keyHash = (key) => createHash2("sha256").update(key).digest("hex");
function createKeyring(configured, stored) {
  const known = configured.map((entry) => ({ entry, hash: Buffer.from(keyHash(entry.key)) }));
  return {
    async ownerOf(key) {
      const hash = keyHash(key);
      const bytes = Buffer.from(hash);
      let found;
      for (const each of known) if (timingSafeEqual(each.hash, bytes)) found = each.entry;
      if (found) return found;
      const row = await stored?.findValid(hash);
      return row && { key, creator: ownerSchema.parse(ownerOf(row)) };
    }
  };
}
var ownerOf = (row) => ({
  type: row.creator_type,
  uid: row.creator_uid,
  display_name: row.display_name
});

// src/runs-service/recover-after-crash.ts
import { mkdir as mkdir2, readdir as readdir2, rm as rm2 } from "node:fs/promises";

// src/runs-service/run-processes.ts
import { readdir, readFile } from "node:fs/promises";
async function killRunProcesses(runIds) {
  if (runIds.size === 0) return 0;
  let killed = 0;
  const entries = await readdir("/proc").catch(() => []);
  for (const pid of entries.filter((entry) => /^\d+$/.test(entry)).map(Number)) {
    if (pid === process.pid) continue;
    const variables = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
    const marker = /(?:^|\0)AGENT_RUN_ID=([^\0]*)/.exec(variables)?.[1];
    if (marker === void 0 || !runIds.has(marker)) continue;
    try {
      process.kill(pid, "SIGKILL");
      killed += 1;
    } catch {
    }
  }
  return killed;
}

// src/runs-service/recover-after-crash.ts
async function recoverAfterCrash(request) {
  const { runQueue, queueStore, files, crashedOwner, logger } = request;
  await mkdir2(files.worksDir, { recursive: true, mode: 448 });
  const left = await readdir2(files.worksDir);
  const killed = await killRunProcesses(new Set(left));
  await rm2(files.worksDir, { recursive: true, force: true });
  await mkdir2(files.worksDir, { recursive: true, mode: 448 });
  const lost = crashedOwner === void 0 ? [] : await queueStore.going({ owner: crashedOwner });
  await runQueue.endLost(lost, "The runs service was restarted");
  if (left.length > 0 || lost.length > 0)
    logger.warn(
      { runs: lost.length, folders: left.length, processes: killed },
      "recovered after a crash"
    );
}

// src/runs-service/run-control.ts
import { z as z5 } from "zod";

// src/runs-service/run-state.ts
var moves = {
  QUEUED: ["INPROGRESS", "CANCELLED", "FAILED"],
  INPROGRESS: ["SUCCEEDED", "FAILED", "CANCELLED"],
  SUCCEEDED: [],
  FAILED: [],
  CANCELLED: []
};
var serviceRunStates = Object.keys(moves);
function statesBefore(to) {
  return serviceRunStates.filter((from) => moves[from].includes(to));
}
function hasEnded(state) {
  return state in moves && moves[state].length === 0;
}

// src/runs-service/run-control.ts
var followUpSchema = z5.object({ message: z5.string().trim().min(1) });
var maxMessageCharacters = 2e5;
function createRunControl({ runs, followups, abort, wake }) {
  return {
    wake,
    /** A queued run is cancelled at once; one that is going when its processes have ended. Asking twice is no error. */
    async cancel(runId) {
      const cancelled = {
        state: "CANCELLED",
        ended_at: Date.now(),
        note: "Cancelled while queued"
      };
      if (await runs.change(runId, ["QUEUED"], cancelled)) return;
      const asked = await runs.change(runId, ["INPROGRESS"], {
        cancel_requested: 1,
        note: "Asked to cancel"
      });
      if (!asked)
        throw new ApiProblem(
          "already_ended",
          "The run has already ended, so it cannot be cancelled."
        );
      abort(runId);
    },
    /** The agent gets the message when it has finished what it is doing, in the same work folder. */
    async followUp(runId, body2) {
      const read = followUpSchema.safeParse(body2);
      if (!read.success)
        throw new ApiProblem("invalid_request", "message: a text that is not empty is needed");
      const { message } = read.data;
      if (message.length > maxMessageCharacters || message.includes("\0"))
        throw new ApiProblem(
          "cannot_be_processed",
          `message: at most ${maxMessageCharacters} characters, none of them NUL`
        );
      if (await followups.add(runId, statesBefore("CANCELLED"), message)) return;
      throw new ApiProblem(
        "already_ended",
        "The run has already ended. Start a new run with its conversation_id to go on from it."
      );
    }
  };
}

// src/runs-service/run-executor.ts
import { mkdir as mkdir4, rm as rm3 } from "node:fs/promises";

// src/runs-api/contract.ts
import { z as z6 } from "zod";
var text = z6.string();
var textMap = z6.record(z6.string(), z6.string());
var mcpServerConfigSchema = z6.looseObject({
  command: text.optional(),
  args: z6.array(text).optional(),
  env: textMap.optional(),
  url: text.optional(),
  headers: textMap.optional(),
  warp_id: text.optional()
}).refine(
  (server) => [server.command, server.url, server.warp_id].filter((way) => way !== void 0).length === 1,
  { error: 'needs exactly one of "command", "url" or "warp_id"' }
);
var mcpServersSchema = z6.record(z6.string().min(1), mcpServerConfigSchema);
var agentConfigSchema = z6.looseObject({
  name: text.optional(),
  model_id: text.optional(),
  base_prompt: text.optional(),
  environment_id: text.optional(),
  skill_spec: text.optional(),
  mcp_servers: mcpServersSchema.optional()
});
var runMetadataSchema = z6.record(z6.string().regex(/^[a-zA-Z0-9._-]{1,64}$/), z6.string()).refine((metadata) => Object.keys(metadata).length <= 20, { error: "has more than 20 keys" }).refine((metadata) => Object.values(metadata).every((value) => Buffer.byteLength(value) <= 256), {
  error: "has a value of more than 256 bytes"
});
var createRunRequestSchema = z6.object({
  prompt: z6.string().min(1),
  config: agentConfigSchema.optional(),
  title: text.optional(),
  metadata: runMetadataSchema.optional(),
  conversation_id: text.optional()
});
var createRunResponseSchema = z6.looseObject({
  run_id: text,
  state: text,
  task_id: text.optional()
});
var optional = (schema) => schema.nullish().catch(void 0);
var runStatusMessageSchema = z6.looseObject({
  message: text,
  error_code: optional(text),
  retryable: optional(z6.boolean()),
  auth_url: optional(text)
});
var runCreatorSchema = z6.looseObject({
  type: optional(text),
  uid: optional(text),
  display_name: optional(text),
  email: optional(text),
  photo_url: optional(text)
});
var runArtifactSchema = z6.looseObject({
  artifact_type: text,
  created_at: optional(text),
  data: optional(z6.looseObject({}))
});
var requestUsageSchema = z6.looseObject({
  inference_cost_usd: optional(z6.number()),
  compute_cost_usd: optional(z6.number()),
  platform_cost_usd: optional(z6.number()),
  total_tokens: optional(z6.number())
});
var resolvedConfigSchema = z6.looseObject({
  name: optional(text),
  model_id: optional(text),
  base_prompt: optional(text),
  environment_id: optional(text),
  skill_spec: optional(text),
  mcp_servers: optional(z6.record(z6.string(), z6.looseObject({})))
});
var runSchema = z6.looseObject({
  run_id: text,
  title: optional(text),
  prompt: text,
  state: text,
  created_at: text,
  updated_at: text,
  task_id: optional(text),
  session_id: optional(text),
  session_link: optional(text),
  agent_config: optional(resolvedConfigSchema),
  status_message: optional(runStatusMessageSchema),
  creator: optional(runCreatorSchema),
  source: optional(text),
  started_at: optional(text),
  run_time: optional(text),
  trigger_url: optional(text),
  conversation_id: optional(text),
  metadata: optional(textMap),
  artifacts: optional(z6.array(runArtifactSchema)),
  request_usage: optional(requestUsageSchema),
  is_run_type_cancellable: optional(z6.boolean())
});
var pageInfoSchema = z6.looseObject({
  has_next_page: z6.boolean(),
  next_cursor: text.nullish()
});
var listRunsResponseSchema = z6.looseObject({
  runs: z6.array(runSchema),
  page_info: pageInfoSchema
});
var environmentSchema = z6.looseObject({
  uid: text,
  config: z6.looseObject({ name: text, description: text.nullish() })
});
var listEnvironmentsResponseSchema = z6.looseObject({
  environments: z6.array(environmentSchema)
});
var agentSchema = z6.looseObject({
  name: text,
  variants: z6.array(z6.looseObject({ id: text }))
});
var listAgentsResponseSchema = z6.looseObject({ agents: z6.array(agentSchema) });
var problemSchema = z6.looseObject({
  error: text.optional(),
  status: z6.number().optional(),
  title: text.optional(),
  type: text.optional(),
  detail: text.optional(),
  instance: text.optional(),
  retryable: z6.boolean().optional(),
  trace_id: text.optional(),
  auth_url: text.optional()
});

// src/runs-service/output-recorder.ts
import { closeSync, mkdirSync as mkdirSync2, openSync, writeSync } from "node:fs";
import { dirname as dirname2 } from "node:path";

// src/runs-service/output-tail.ts
function createOutputTail(bytes) {
  let kept = Buffer.alloc(0);
  return {
    push(chunk) {
      kept = Buffer.concat([kept, chunk.subarray(-bytes)]).subarray(-bytes);
    },
    bytes: () => kept,
    text: () => kept.toString("utf8")
  };
}

// src/runs-service/output-recorder.ts
var tailBytes = 16384;
function createOutputRecorder(file, limitBytes) {
  mkdirSync2(dirname2(file), { recursive: true, mode: 448 });
  const descriptor = openSync(file, "a", 384);
  let written = 0;
  let leftOut = 0;
  const tail = createOutputTail(tailBytes);
  let failure;
  let closed = false;
  function append(chunk) {
    try {
      writeSync(descriptor, chunk);
    } catch (error) {
      failure ??= error instanceof Error ? error.message : String(error);
    }
  }
  return {
    write(chunk) {
      if (closed) return;
      const room = Math.max(0, limitBytes - written);
      const kept = chunk.subarray(0, room);
      if (kept.length > 0) append(kept);
      written += kept.length;
      leftOut += chunk.length - kept.length;
      tail.push(chunk);
    },
    close() {
      if (closed) return failure;
      closed = true;
      if (leftOut > 0) {
        const end = tail.bytes().subarray(-Math.min(leftOut, tailBytes));
        const missing = leftOut - end.length;
        append(`
[\u2026 ${missing} bytes left out: the output limit is ${limitBytes} bytes \u2026]
`);
        append(end);
      }
      closeSync(descriptor);
      return failure;
    }
  };
}

// src/runs-service/last-lines.ts
var escapeCharacter = "\\u001b";
var terminalSequences = new RegExp(
  `${escapeCharacter}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\\u0007${escapeCharacter}]*(?:\\u0007|${escapeCharacter}\\\\)?|[@-_])`,
  "g"
);
var controls = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
function plainText(output) {
  return output.replace(terminalSequences, "").replace(/\r\n/g, "\n").replace(/^.*\r(?=.)/gm, "").replace(controls, "");
}
function lastLines(output, { lines, characters }) {
  const meaningful = plainText(output).split("\n").map((line) => line.trim()).filter((line) => /[\p{L}\p{N}]/u.test(line));
  const text2 = [...meaningful.slice(-lines).join("\n")];
  return text2.length <= characters ? text2.join("") : `\u2026${text2.slice(-(characters - 1)).join("")}`;
}

// src/runs-service/run-end.ts
function isRunEnd(value) {
  return "state" in value && "status" in value;
}
function failed(message, more = {}) {
  return { state: "FAILED", status: { ...more, message } };
}
var interrupted = (why) => failed(`${why} while this run was going, so the run was ended. It can be run again.`, {
  error_code: "resource_unavailable",
  retryable: true
});
function abortedEnd(reason) {
  switch (reason) {
    case "cancelled":
      return { state: "CANCELLED" };
    case "stopping":
      return interrupted("The runs service was stopped");
    case "lost":
      return interrupted("The runs service lost its claim on the run");
  }
}
function commandFailure(what, end, { program, outputs, timeoutMs }) {
  const told = outputs.map((output) => lastLines(output, { lines: 3, characters: 600 }));
  const said = told.find((lines) => lines !== "") ?? "";
  switch (end.how) {
    case "exited":
      if (end.code === 0) return void 0;
      return failed(
        said === "" ? `${what} ended with exit code ${end.code} and said nothing.` : `${said}
(${what} ended with exit code ${end.code}.)`
      );
    case "killed":
      return failed(`${what} was ended by ${end.signal}.${said === "" ? "" : `
${said}`}`);
    case "timed-out":
      return failed(
        `${what} was ended because the run reached its time limit of ${duration(timeoutMs)}.`
      );
    case "not-started":
      return failed(
        end.reason === "ENOENT" ? `${what} could not be started: "${program}" is not installed where the runs service runs.` : `${what} could not be started: "${program}" (${end.reason}).`,
        { error_code: "environment_setup_failed" }
      );
    case "aborted":
      return void 0;
  }
}
function duration(ms) {
  if (ms < 9e4) return `${Math.round(ms / 1e3)} seconds`;
  return `${Math.round(ms / 6e4)} minutes`;
}

// src/runs-service/run-steps.ts
import { writeFile as writeFile2 } from "node:fs/promises";
import { join as join4 } from "node:path";

// src/runs-service/run-input.ts
import { mkdir as mkdir3, readFile as readFile2, writeFile } from "node:fs/promises";
import { join as join3 } from "node:path";
var longestVariableBytes = 96 * 1024;
async function writeRunInput(request) {
  const { run, config, environment, workDir, path } = request;
  const folder2 = (name) => join3(workDir, name);
  for (const name of ["input", "home", "tmp"]) await mkdir3(folder2(name), { recursive: true });
  const file = async (name, content) => {
    await writeFile(join3(workDir, "input", name), content, { mode: 384 });
    return join3(workDir, "input", name);
  };
  const secrets = await readSecrets(environment);
  const told = {
    AGENT_RUN_ID: run.id,
    AGENT_CONVERSATION_ID: run.conversation_id,
    AGENT_ENVIRONMENT_ID: run.environment_id,
    AGENT_TITLE: run.title,
    AGENT_PROMPT: run.prompt,
    AGENT_PROMPT_FILE: await file("prompt.txt", run.prompt),
    AGENT_CONFIG_NAME: config.name,
    AGENT_MODEL_ID: config.model_id,
    AGENT_SKILL: config.skill_spec,
    AGENT_BASE_PROMPT: config.base_prompt,
    AGENT_BASE_PROMPT_FILE: config.base_prompt === void 0 ? void 0 : await file("base-prompt.txt", config.base_prompt),
    AGENT_MCP_CONFIG_FILE: await file(
      "mcp-servers.json",
      JSON.stringify({ mcpServers: config.mcp_servers ?? {} }, null, 2)
    )
  };
  return {
    secrets: Object.values(secrets),
    variables: {
      PATH: path,
      HOME: folder2("home"),
      TMPDIR: folder2("tmp"),
      LANG: "C.UTF-8",
      TERM: "dumb",
      ...environment.variables,
      ...secrets,
      ...fitting(told)
    }
  };
}
function fitting(variables) {
  const kept = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value !== void 0 && Buffer.byteLength(value) <= longestVariableBytes) kept[name] = value;
  }
  return kept;
}
async function readSecrets(environment) {
  const secrets = {};
  for (const [name, file] of Object.entries(environment.secret_files ?? {})) {
    secrets[name] = (await readFile2(file, "utf8")).trim();
  }
  return secrets;
}

// src/runs-service/run-steps.ts
async function checkOutAll(tools, going) {
  const { workDir, signal } = going;
  const checkouts = [];
  for (const repository of going.environment.repositories) {
    try {
      checkouts.push(await tools.checkouts.checkOut({ repository, workDir, signal }));
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      const name = repositoryName(repository);
      throw new GitError(`The repository ${name} could not be checked out.
${error.message}`);
    }
  }
  const commits = checkouts.map(({ folder: folder2, base }) => `${folder2} at ${base.slice(0, 8)}`);
  await tools.note(going.run.id, `Checked out ${commits.join(", ")}`);
  return checkouts;
}
var tailBytes2 = 16384;
async function runCommand(tools, going, command) {
  const { what, argv: argv2, variables, cwd, input } = command;
  const printed = createOutputTail(tailBytes2);
  const complained = createOutputTail(tailBytes2);
  const end = await runInGroup({
    command: argv2,
    variables,
    cwd,
    input,
    onOutput: (chunk, stream) => {
      going.recorder.write(chunk);
      (stream === "stderr" ? complained : printed).push(chunk);
    },
    timeoutMs: Math.max(1, going.deadlineMs - Date.now()),
    graceMs: tools.killGraceMs,
    signal: going.signal
  });
  return commandFailure(what, end, {
    program: argv2[0] ?? "",
    outputs: [complained.text(), printed.text()],
    timeoutMs: going.timeoutMs
  });
}
async function withSkill(tools, going) {
  const { config, environment, signal } = going;
  if (config.skill_spec === void 0) return config;
  const found = await tools.skills.find(environment, config.skill_spec, signal);
  if ("known" in found)
    return failed(
      `The skill ${config.skill_spec} is not in the environment "${environment.id}". Skills there: ${found.known.join(", ") || "none"}.`,
      { error_code: "resource_not_found", retryable: false }
    );
  const texts = [found.skill.basePrompt, config.base_prompt];
  return { ...config, base_prompt: texts.filter(Boolean).join("\n\n") };
}
async function runAgent(tools, going, checkouts) {
  const { run, environment, workDir } = going;
  const config = await withSkill(tools, going);
  if (isRunEnd(config)) return config;
  const { variables } = await writeRunInput({ ...going, config, path: tools.path });
  const [first] = checkouts;
  const cwd = checkouts.length === 1 && first ? first.dir : join4(workDir, "repo");
  for (const argv2 of environment.setup ?? []) {
    const what = `The set-up command "${argv2[0]}"`;
    const failure2 = await runCommand(tools, going, { what, argv: argv2, variables, cwd, input: "" });
    if (failure2) return failure2;
  }
  const agent = { what: "The agent", argv: environment.command, cwd };
  let failure = await runCommand(tools, going, { ...agent, variables, input: run.prompt });
  while (!failure && !going.signal.aborted) {
    const message = await tools.takeFollowup(run.id);
    if (message === void 0) break;
    await tools.note(run.id, "The agent got a follow-up");
    const told = { ...variables, AGENT_FOLLOWUP: "1" };
    failure = await runCommand(tools, going, { ...agent, variables: told, input: message });
  }
  return failure ?? { state: "SUCCEEDED" };
}
async function saveChanges(tools, going, checkouts) {
  const reading = {
    path: tools.path,
    signal: AbortSignal.timeout(6e4),
    maxBytes: tools.outputLimitBytes
  };
  const patches = [];
  for (const checkout of checkouts) patches.push(await readChanges(checkout, reading));
  await writeFile2(tools.files.patchFile(going.run.id), patches.join(""), { mode: 384 });
}

// src/runs-service/run-executor.ts
function createRunExecutor(options) {
  async function execute(going) {
    const checkouts = await checkOutAll(options, going);
    const end = await runAgent(options, going, checkouts);
    await options.endLeftovers(going.run.id);
    await saveChanges(options, going, checkouts);
    const unwritten = going.recorder.close();
    if (unwritten === void 0) return end;
    return failed(`The output of the run could not be kept: ${unwritten}`, { retryable: true });
  }
  async function executeIn(environment, run, signal) {
    const workDir = options.files.workDir(run.id);
    const limitSeconds = environment.time_limit_seconds;
    const timeoutMs = limitSeconds === void 0 ? options.runTimeoutMs : limitSeconds * 1e3;
    await rm3(workDir, { recursive: true, force: true });
    await mkdir4(workDir, { recursive: true });
    const recorder = createOutputRecorder(
      options.files.outputFile(run.id),
      options.outputLimitBytes
    );
    try {
      const config = agentConfigSchema.parse(JSON.parse(run.config_json));
      const deadlineMs = Date.now() + timeoutMs;
      const going = { run, config, environment, workDir, recorder, signal, timeoutMs, deadlineMs };
      return await execute(going);
    } finally {
      recorder.close();
      await options.endLeftovers(run.id);
      await rm3(workDir, { recursive: true, force: true });
    }
  }
  return async function executeRun(run, signal) {
    const environment = findEnvironment(options.environments(), run.environment_id);
    if (!environment)
      return failed(
        `The environment "${run.environment_id}" no longer exists. Choose another one.`,
        { error_code: "resource_not_found", retryable: false }
      );
    try {
      const end = await executeIn(environment, run, signal);
      return signal.aborted ? abortedEnd(signal.reason) : end;
    } catch (error) {
      if (signal.aborted) return abortedEnd(signal.reason);
      if (error instanceof GitError)
        return failed(error.message, { error_code: "environment_setup_failed" });
      options.logger.error({ err: error, runId: run.id }, "a run failed inside the service");
      const why = error instanceof Error ? error.message : String(error);
      return failed(`The runs service could not execute this run: ${why}`, {
        error_code: "internal_error",
        retryable: true
      });
    }
  };
}

// src/runs-service/run-files.ts
import { dirname as dirname3, join as join5 } from "node:path";
function runFiles(dataDir) {
  const transcriptDir = (runId) => join5(dataDir, "transcripts", runId);
  return {
    mirrorsDir: join5(dataDir, "mirrors"),
    worksDir: join5(dataDir, "work"),
    transcriptsDir: join5(dataDir, "transcripts"),
    workDir: (runId) => join5(dataDir, "work", runId),
    outputFile: (runId) => join5(transcriptDir(runId), "output.log"),
    patchFile: (runId) => join5(transcriptDir(runId), "changes.patch")
  };
}
var defaultPath = [
  dirname3(process.execPath),
  "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/homebrew/bin"
].join(":");

// src/runs-service/choose-next.ts
function chooseNext(queued, going, roomIn) {
  const count2 = (key, value) => going.reduce((sum, group) => group[key] === value ? sum + group.count : sum, 0);
  const startable = queued.filter(
    ({ environmentId }) => count2("environmentId", environmentId) < roomIn(environmentId)
  );
  return startable.sort(
    (a, b) => count2("creatorUid", a.creatorUid) - count2("creatorUid", b.creatorUid) || a.oldestCreatedAt - b.oldestCreatedAt
  )[0];
}

// src/runs-service/run-queue.ts
var tickMs = 1e3;
var leaseMs = 3e4;
var RunQueue = class {
  #options;
  #going = /* @__PURE__ */ new Map();
  #loop;
  #wake = new AbortController();
  #renewedAt = 0;
  constructor(options) {
    this.#options = options;
  }
  async start() {
    if (this.#loop) return;
    const stop = new AbortController();
    this.#loop = { stop, done: this.#run(stop.signal) };
  }
  /** Ends the runs that are going, says so on them, and takes no more. */
  async stop() {
    const loop = this.#loop;
    if (!loop) return;
    loop.stop.abort();
    this.wake();
    await loop.done;
    this.#abortAll("stopping");
    await Promise.all([...this.#going.values()].map(({ done }) => done));
    this.#loop = void 0;
  }
  /** Looks at the queue at once. */
  wake() {
    this.#wake.abort();
  }
  /** Ends a run if this process executes it; another process sees the wish in the store. */
  cancel(runId) {
    this.#going.get(runId)?.abort.abort("cancelled");
  }
  #abortAll(reason) {
    for (const { abort } of this.#going.values()) abort.abort(reason);
  }
  async #run(signal) {
    while (!signal.aborted) {
      this.#wake = new AbortController();
      try {
        await this.#tick(signal);
      } catch (error) {
        this.#options.logger.error({ err: error }, "the queue of runs could not be read");
      }
      await sleep(tickMs, AbortSignal.any([signal, this.#wake.signal]));
    }
  }
  async #tick(signal) {
    const { queue, owner } = this.#options;
    if (Date.now() - this.#renewedAt > leaseMs / 3) {
      await queue.renewLeases(owner, Date.now() + leaseMs);
      this.#renewedAt = Date.now();
      await this.endLost(
        await queue.going({ leaseBefore: Date.now() }),
        "Its runs service stopped answering"
      );
    }
    if (this.#going.size > 0) {
      const held = new Map((await queue.going({ owner })).map((run) => [run.id, run]));
      for (const [id, { abort }] of this.#going) {
        if (!held.has(id)) abort.abort("lost");
        else if (held.get(id)?.cancel_requested) this.cancel(id);
      }
    }
    while (!signal.aborted && this.#going.size < this.#options.concurrency) {
      if (!await this.#startNext()) break;
    }
  }
  /** Runs that nobody executes any more. */
  async endLost(lost, why) {
    for (const run of lost) {
      if (this.#going.has(run.id)) continue;
      await this.#finish(run, interrupted(why), run.lease_owner ?? "");
    }
  }
  async #startNext() {
    const { queue, runs, owner, roomIn } = this.#options;
    const next = chooseNext(await queue.groups("QUEUED"), await queue.groups("INPROGRESS"), roomIn);
    if (!next) return false;
    const oldest = await queue.oldestQueued(next.creatorUid, next.environmentId);
    if (!oldest) return true;
    const nowMs = Date.now();
    const claimed = await runs.change(oldest.id, statesBefore("INPROGRESS"), {
      state: "INPROGRESS",
      started_at: nowMs,
      lease_owner: owner,
      lease_until: nowMs + leaseMs
    });
    if (claimed) this.#begin(claimed);
    return true;
  }
  #begin(run) {
    const abort = new AbortController();
    const done = this.#execute(run, abort.signal).finally(() => {
      this.#going.delete(run.id);
      this.wake();
    });
    this.#going.set(run.id, { abort, done });
  }
  async #execute(run, signal) {
    const { execute, logger, owner } = this.#options;
    try {
      logger.info({ runId: run.id, environmentId: run.environment_id }, "run started");
      const end = await execute(run, signal);
      await this.#finish(run, end, owner);
      logger.info({ runId: run.id, state: end.state }, "run ended");
    } catch (error) {
      logger.error({ err: error, runId: run.id }, "the end of a run could not be written");
    }
  }
  async #finish(run, end, owner) {
    const { runs } = this.#options;
    await runs.change(
      run.id,
      ["INPROGRESS"],
      {
        state: end.state,
        status_json: end.status ? JSON.stringify(end.status) : null,
        ended_at: Date.now(),
        lease_owner: null,
        lease_until: null
      },
      owner
    );
  }
};

// src/runs-service/runs-routes.ts
import { Hono as Hono3 } from "hono";

// src/runs-service/create-run.ts
import { createHash as createHash3, randomBytes } from "node:crypto";
var maxPromptCharacters = 2e5;
var maxFieldCharacters = 500;
var titleCharacters = 80;
async function createRun({ runs, environments }, caller, body2, idempotencyKey) {
  const request = readRequest(body2);
  const requestHash = createHash3("sha256").update(JSON.stringify(request)).digest("hex");
  const scopedKey = idempotencyKey === void 0 ? null : `${caller.creator.uid} ${idempotencyKey}`;
  const earlier = scopedKey === null ? void 0 : await runs.getByIdempotencyKey(scopedKey);
  const run = earlier ?? await runs.create(newRun(request, environments(), caller, scopedKey, requestHash));
  if (run.request_hash !== requestHash)
    throw new ApiProblem(
      "cannot_be_processed",
      "This Idempotency-Key came with another request before. Use a new key for a new request."
    );
  return run;
}
function readRequest(body2) {
  const read = createRunRequestSchema.safeParse(body2);
  if (!read.success) {
    const issues = read.error.issues.map(
      ({ path, message }) => `${path.join(".") || "body"}: ${message}`
    );
    throw new ApiProblem("invalid_request", issues.join("; "));
  }
  const request = read.data;
  if (request.prompt.trim() === "")
    throw new ApiProblem("invalid_request", "prompt: must not be empty");
  const characters = [...request.prompt].length;
  if (characters > maxPromptCharacters)
    throw new ApiProblem(
      "cannot_be_processed",
      `prompt: has ${characters} characters; at most ${maxPromptCharacters} are taken`
    );
  if (JSON.stringify(request).includes("\\u0000"))
    throw new ApiProblem(
      "cannot_be_processed",
      "The request has a NUL character, which cannot be stored or passed to a command."
    );
  checkLengths(request);
  return request;
}
function checkLengths(request) {
  const { name, model_id, environment_id, skill_spec } = request.config ?? {};
  const fields = {
    title: request.title,
    conversation_id: request.conversation_id,
    "config.name": name,
    "config.model_id": model_id,
    "config.environment_id": environment_id,
    "config.skill_spec": skill_spec
  };
  for (const [field, value] of Object.entries(fields)) {
    if (value !== void 0 && value.length > maxFieldCharacters)
      throw new ApiProblem(
        "cannot_be_processed",
        `${field}: is longer than ${maxFieldCharacters} characters`
      );
  }
}
function newRun(request, environments, caller, idempotencyKey, requestHash) {
  const wanted = request.config?.environment_id;
  const environment = findEnvironment(environments, wanted);
  if (!environment) {
    const ids = environments.map(({ id }) => id).join(", ") || "none yet";
    throw new ApiProblem(
      "cannot_be_processed",
      wanted === void 0 ? `config.environment_id: is needed here. Environments: ${ids}.` : `config.environment_id: there is no environment "${wanted}". Environments: ${ids}.`
    );
  }
  const { name: given, model_id, base_prompt, skill_spec, mcp_servers } = request.config ?? {};
  const name = given ?? skillName(skill_spec);
  const config = {
    environment_id: environment.id,
    ...name !== void 0 && { name },
    ...model_id !== void 0 && { model_id },
    ...base_prompt !== void 0 && { base_prompt },
    ...skill_spec !== void 0 && { skill_spec },
    ...mcp_servers !== void 0 && { mcp_servers }
  };
  return {
    session_token: randomBytes(32).toString("base64url"),
    title: request.title?.trim() || titleOf(request.prompt),
    prompt: request.prompt,
    config_json: JSON.stringify(config),
    config_name: name ?? null,
    model_id: config.model_id ?? null,
    environment_id: environment.id,
    skill_spec: config.skill_spec ?? null,
    creator_json: JSON.stringify(caller.creator),
    creator_uid: caller.creator.uid,
    source: caller.source ?? "API",
    idempotency_key: idempotencyKey,
    request_hash: requestHash,
    conversationId: request.conversation_id,
    metadata: request.metadata ?? {}
  };
}
function titleOf(prompt) {
  const [line = ""] = prompt.trim().split("\n");
  const characters = [...line.trim()];
  return characters.length <= titleCharacters ? characters.join("") : `${characters.slice(0, titleCharacters - 1).join("")}\u2026`;
}
function skillName(spec) {
  const skill = spec?.slice(spec.indexOf(":") + 1);
  return skill?.replace(/\/SKILL\.md$/i, "").split("/").at(-1) || void 0;
}

// src/runs-service/present-run.ts
var timestamp = (epochMs) => new Date(epochMs).toISOString();
var duration2 = (ms) => `PT${ms / 1e3}S`;
function presentRun(run, { metadata, sessionLink, waitingBefore }) {
  const status = readStatus(run, waitingBefore);
  const begun = run.state !== "QUEUED";
  return {
    run_id: run.id,
    task_id: run.id,
    title: run.title,
    prompt: run.prompt,
    state: run.state,
    created_at: timestamp(run.created_at),
    updated_at: timestamp(run.updated_at),
    ...run.started_at !== null && { started_at: timestamp(run.started_at) },
    ...run.started_at !== null && run.ended_at !== null && { run_time: duration2(Math.max(0, run.ended_at - run.started_at)) },
    ...begun && { session_id: run.id, session_link: sessionLink },
    ...status && { status_message: status },
    agent_config: JSON.parse(run.config_json),
    creator: JSON.parse(run.creator_json),
    source: run.source,
    conversation_id: run.conversation_id,
    metadata,
    artifacts: [],
    is_run_type_cancellable: true
  };
}
function readStatus(run, waitingBefore) {
  if (run.status_json !== null) return JSON.parse(run.status_json);
  if (run.cancel_requested && !hasEnded(run.state)) return { message: "Being cancelled" };
  if (run.state !== "QUEUED" || waitingBefore === void 0) return void 0;
  return {
    message: waitingBefore === 0 ? "Next in the queue" : `${waitingBefore} before it in the queue`
  };
}

// src/runs-service/read-json.ts
async function readJson(request) {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type))
    throw new ApiProblem(
      "unsupported_media_type",
      "The body must be JSON, sent with Content-Type: application/json."
    );
  const text2 = await request.text();
  try {
    return JSON.parse(text2);
  } catch {
    throw new ApiProblem("invalid_request", "The body is not valid JSON.");
  }
}

// src/runs-service/read-list-query.ts
import { z as z7 } from "zod";
var maxLimit = 500;
var instant = z7.iso.datetime({ offset: true, error: "must be an RFC 3339 timestamp, as in 2026-01-31T09:30:00Z" }).transform((text2) => Date.parse(text2));
var querySchema = z7.object({
  limit: z7.coerce.number().int().min(1).transform((limit) => Math.min(limit, maxLimit)).default(20),
  cursor: z7.string().optional(),
  name: z7.string().optional(),
  config_name: z7.string().optional(),
  model_id: z7.string().optional(),
  creator: z7.string().optional(),
  source: z7.string().optional(),
  environment_id: z7.string().optional(),
  skill_spec: z7.string().optional(),
  created_after: instant.optional(),
  created_before: instant.optional(),
  updated_after: instant.optional(),
  q: z7.string().optional(),
  sort_by: z7.enum(["updated_at", "created_at", "title"]).default("updated_at"),
  sort_order: z7.enum(["asc", "desc"]).default("desc")
});
var cursorSchema = z7.tuple([
  z7.string(),
  z7.string(),
  z7.union([z7.string(), z7.number()]),
  z7.string(),
  z7.number()
]);
function writeCursor(place, { sortBy, sortOrder }) {
  const parts = [sortBy, sortOrder, place.key, place.id, place.snapshot];
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}
function readCursor(cursor2, { sortBy, sortOrder }) {
  let content;
  try {
    content = JSON.parse(Buffer.from(cursor2, "base64url").toString("utf8"));
  } catch {
    content = void 0;
  }
  const read = cursorSchema.safeParse(content);
  if (!read.success || read.data[0] !== sortBy || read.data[1] !== sortOrder)
    throw new ApiProblem(
      "invalid_request",
      "cursor: is not from a list with this sorting. Begin again without it."
    );
  const [, , key, id, snapshot] = read.data;
  return { key, id, snapshot };
}
function readListQuery(parameters) {
  const read = querySchema.safeParse(
    Object.fromEntries([...parameters].filter(([, value]) => value !== ""))
  );
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ApiProblem("invalid_request", `${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { limit, cursor: cursor2, sort_by: sortBy, sort_order: sortOrder, ...given } = read.data;
  const states = parameters.getAll("state").filter(Boolean);
  const metadata = [...parameters].flatMap(([name, value]) => {
    const key = /^metadata\[(.+)\]$/.exec(name)?.[1];
    return key === void 0 ? [] : [[key, value]];
  });
  const named = {
    states: states.length > 0 ? states : void 0,
    configName: given.name ?? given.config_name,
    modelId: given.model_id,
    creatorUid: given.creator,
    source: given.source,
    environmentId: given.environment_id,
    skillSpec: given.skill_spec,
    createdAfter: given.created_after,
    createdBefore: given.created_before,
    updatedAfter: given.updated_after,
    search: given.q
  };
  const filter = Object.fromEntries(
    Object.entries(named).filter(([, value]) => value !== void 0)
  );
  if (metadata.length > 0) filter.metadata = Object.fromEntries(metadata);
  const after = cursor2 === void 0 ? void 0 : readCursor(cursor2, { sortBy, sortOrder });
  return { filter, sortBy, sortOrder, limit, after };
}

// src/runs-service/runs-routes.ts
function createRunsRoutes(options) {
  const { runs, queue, control } = options;
  const app = new Hono3();
  async function present(found) {
    const metadata = await runs.metadataOf(found.map(({ id }) => id));
    return Promise.all(
      found.map(
        async (run) => presentRun(run, {
          metadata: metadata.get(run.id) ?? {},
          sessionLink: options.sessionLink(run),
          ...run.state === "QUEUED" && {
            waitingBefore: await queue.countQueuedBefore(run.created_at)
          }
        })
      )
    );
  }
  async function find2(id) {
    const run = await runs.get(id);
    if (!run) throw new ApiProblem("resource_not_found", `There is no run "${id.slice(0, 100)}".`);
    return run;
  }
  async function create2(context) {
    const body2 = await readJson(context.req.raw);
    const key = context.req.header("idempotency-key");
    const run = await createRun(options, context.get("caller"), body2, key);
    control.wake();
    const answer = { run_id: run.id, state: run.state, task_id: run.id };
    return context.json(answer);
  }
  app.post("/agent/run", create2);
  app.post("/agent/runs", create2);
  app.get("/agent/runs", async (context) => {
    const query = readListQuery(new URL(context.req.url).searchParams);
    const page = await options.listRuns(query);
    const answer = {
      runs: await present(page.runs),
      page_info: {
        has_next_page: page.next !== void 0,
        ...page.next && { next_cursor: writeCursor(page.next, query) }
      }
    };
    return context.json(answer);
  });
  app.get("/agent/runs/:id", async (context) => {
    const [run] = await present([await find2(context.req.param("id"))]);
    return context.json(run);
  });
  app.post("/agent/runs/:id/cancel", async (context) => {
    const run = await find2(context.req.param("id"));
    await control.cancel(run.id);
    return context.json(run.id);
  });
  app.post("/agent/runs/:id/followups", async (context) => {
    const run = await find2(context.req.param("id"));
    await control.followUp(run.id, await readJson(context.req.raw));
    return context.json({ run_id: run.id });
  });
  return app;
}

// src/runs-service/session-page/session-routes.ts
import { createReadStream } from "node:fs";
import { open as open2, readFile as readFile3, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { Hono as Hono4 } from "hono";
import { streamSSE } from "hono/streaming";

// src/runs-service/session-page/session-live.ts
import { open } from "node:fs/promises";

// src/runs-service/session-page/terminal-lines.ts
import { html, raw } from "hono/html";
var plain = { bold: false, dim: false, italic: false, underline: false };
var graphics = new RegExp(`${escapeCharacter}\\[([\\d;]*)m`);
function terminalLines(output, from = plain) {
  let style = from;
  const lines = output.split("\n").map((line) => {
    const [first = "", ...rest] = line.split(graphics);
    let rendered = span(first, style);
    for (let index = 0; index < rest.length; index += 2) {
      style = restyle(style, rest[index] ?? "");
      rendered += span(rest[index + 1] ?? "", style);
    }
    return rendered;
  });
  return { lines, style };
}
function span(text2, style) {
  const shown = plainText(text2);
  if (shown === "") return "";
  const classes = classesOf(style);
  return String(
    classes === "" ? html`${shown}` : html`<span class="${raw(classes)}">${shown}</span>`
  );
}
function classesOf({ bold, dim, italic, underline, color }) {
  const names = [
    bold && "t-bold",
    dim && "t-dim",
    italic && "t-italic",
    underline && "t-underline",
    color !== void 0 && `t-c${color}`
  ];
  return names.filter(Boolean).join(" ");
}
function restyle(style, parameters) {
  const codes = parameters.split(";").map(Number);
  let next = { ...style };
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) index += codes[index + 1] === 5 ? 2 : 4;
    else next = applyCode(next, code);
  }
  return next;
}
function applyCode(style, code) {
  const { color, ...uncolored } = style;
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 39) return uncolored;
  if (code >= 30 && code <= 37) return { ...uncolored, color: code - 30 };
  if (code >= 90 && code <= 97) return { ...uncolored, color: code - 90 + 8 };
  return style;
}

// src/runs-service/session-page/session-live.ts
var lookMs = 400;
var partBytes = 64 * 1024;
async function* followSession(session) {
  let offset = session.from;
  let seen;
  let style;
  while (!session.signal.aborted) {
    const now = await session.look();
    for (; ; ) {
      const part = await readPart(session.outputFile, offset, now?.ended ?? true);
      if (part.length === 0) break;
      offset += part.length;
      const rendered = terminalLines(part.toString("utf8"), style);
      style = rendered.style;
      yield {
        event: "output",
        id: String(offset),
        data: JSON.stringify(rendered.lines.join("\n"))
      };
    }
    if (!now || now.ended) {
      yield { event: "end", id: String(offset), data: "" };
      return;
    }
    if (seen !== void 0 && seen !== now.updatedAt)
      yield { event: "changed", id: String(offset), data: "" };
    seen = now.updatedAt;
    await sleep(lookMs, session.signal);
  }
}
async function readPart(path, offset, all) {
  let file;
  try {
    file = await open(path, "r");
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(partBytes), 0, partBytes, offset);
    const part = buffer.subarray(0, bytesRead);
    const lineEnd = part.lastIndexOf(10) + 1;
    if (lineEnd > 0) return part.subarray(0, lineEnd);
    return all || bytesRead === partBytes ? part : Buffer.alloc(0);
  } finally {
    await file.close();
  }
}

// src/runs-service/session-page/session-script.ts
var sessionScript = `'use strict';
const { address, live } = document.body.dataset;

function showLocalTimes() {
  for (const element of document.querySelectorAll('time')) {
    const at = new Date(element.dateTime);
    element.textContent = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
    element.title = element.dateTime;
  }
}

async function renew(...selectors) {
  const answer = await fetch(location.href, { cache: 'no-store' });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  document.title = fresh.title;
  for (const selector of selectors) {
    const [old, next] = [document.querySelector(selector), fresh.querySelector(selector)];
    if (old && next) old.replaceWith(next);
  }
  showLocalTimes();
}

function follow() {
  const lines = document.querySelector('#lines');
  const events = new EventSource(address + '/events?from=' + lines.dataset.offset);
  events.addEventListener('output', (event) => {
    const page = document.scrollingElement;
    const atEnd = page.scrollHeight - page.scrollTop - page.clientHeight < 80;
    lines.insertAdjacentHTML('beforeend', JSON.parse(event.data));
    if (atEnd) page.scrollTop = page.scrollHeight;
  });
  events.addEventListener('changed', () => renew('#header', '#timeline'));
  events.addEventListener('end', () => {
    events.close();
    renew('main');
  });
}

showLocalTimes();
if (live === 'yes') follow();
`;

// src/runs-service/session-page/session-style.ts
var sessionStyle = `:root {
  color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --edge: #e2e5ea; --ink: #1c2128; --soft: #667080; --link: #1f5fd0;
  --queued: #8a93a3; --inprogress: #c98a00; --succeeded: #1a8f4c; --failed: #cf3040; --cancelled: #8a93a3;
  --plus: #e3f6e9; --minus: #fdeaec; --plus-ink: #14723c; --minus-ink: #b3202f; --hunk: #eef3fb;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #101318; --card: #181c23; --edge: #2a303a; --ink: #e6e9ee; --soft: #97a1b0; --link: #7db0ff;
    --queued: #97a1b0; --inprogress: #e3b341; --succeeded: #4cc27f; --failed: #ff7680; --cancelled: #97a1b0;
    --plus: #12301f; --minus: #3a171c; --plus-ink: #6fdc9d; --minus-ink: #ff9aa2; --hunk: #1d2531;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
header { padding: .5rem .25rem 1.25rem; }
h1 { margin: .4rem 0 .2rem; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { display: flex; align-items: baseline; gap: .6rem; margin: 0 0 .7rem; font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; color: var(--soft); }
h3 { margin: 1rem 0 .3rem; font-size: .85rem; color: var(--soft); }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
.by, time { color: var(--soft); margin: 0; }
.state { display: inline-flex; align-items: center; gap: .5rem; margin: 0; padding: .15rem .75rem .15rem .6rem; border: 1px solid currentColor; border-radius: 2rem; font-weight: 600; font-size: .85rem; color: var(--tone); }
.state-queued { --tone: var(--queued); } .state-inprogress { --tone: var(--inprogress); }
.state-succeeded { --tone: var(--succeeded); } .state-failed { --tone: var(--failed); } .state-cancelled { --tone: var(--cancelled); }
.dot { width: .6rem; height: .6rem; border-radius: 50%; background: var(--tone, var(--edge)); flex: none; }
.state-failed > .dot { border-radius: 2px; }
.state-inprogress.state > .dot, .live .dot { animation: pulse 1.6s ease-in-out infinite; }
@keyframes pulse { 50% { opacity: .25; } }
@media (prefers-reduced-motion: reduce) { .dot { animation: none !important; } }
.reason { margin: .9rem 0 0; padding: .7rem .9rem; border-left: 3px solid var(--failed); background: var(--card); border-radius: 0 .4rem .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) 19rem; gap: 1rem; align-items: start; }
@media (max-width: 60rem) { .columns { grid-template-columns: minmax(0, 1fr); } }
section { background: var(--card); border: 1px solid var(--edge); border-radius: .7rem; padding: 1rem 1.1rem; margin-bottom: 1rem; }
pre { margin: 0; font-family: var(--mono); font-size: .84rem; }
.prompt { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
.more { margin-left: auto; text-transform: none; letter-spacing: 0; font-weight: 500; }
.terminal { margin: 0 -1.1rem -1rem; padding: .9rem 1.1rem; background: #14181f; color: #d9dee7; border-radius: 0 0 .65rem .65rem; overflow-x: auto; }
.terminal pre { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.45; }
.terminal summary, .terminal .cut, .live { color: #8d98a9; font-size: .82rem; margin: 0 0 .4rem; cursor: default; }
.terminal summary { cursor: pointer; }
.live { --tone: #4cc27f; display: flex; gap: .5rem; align-items: center; margin: .5rem 0 0; }
.t-bold { font-weight: 700; color: #fff; } .t-dim { opacity: .62; } .t-italic { font-style: italic; } .t-underline { text-decoration: underline; }
.t-c0 { color: #6b7686; } .t-c1 { color: #ff7b86; } .t-c2 { color: #6fd699; } .t-c3 { color: #e6c06a; } .t-c4 { color: #7fb2ff; } .t-c5 { color: #d49bff; } .t-c6 { color: #6cd3dd; } .t-c7 { color: #d9dee7; }
.t-c8 { color: #8793a5; } .t-c9 { color: #ff9aa2; } .t-c10 { color: #8ff0b5; } .t-c11 { color: #ffdc8a; } .t-c12 { color: #a5caff; } .t-c13 { color: #e5bfff; } .t-c14 { color: #97ecf3; } .t-c15 { color: #fff; }
.timeline { list-style: none; margin: 0; padding: 0; }
.timeline li { position: relative; padding: 0 0 .9rem 1.4rem; display: grid; font-size: .9rem; }
.timeline li:last-child { padding-bottom: 0; }
.timeline li::before { content: ''; position: absolute; left: .28rem; top: .9rem; bottom: -.35rem; width: 1px; background: var(--edge); }
.timeline li:last-child::before { display: none; }
.timeline .dot { position: absolute; left: 0; top: .42rem; }
.timeline .moved .what { font-weight: 600; color: var(--tone); }
.timeline .noted .dot { transform: scale(.6); background: var(--soft); }
.timeline time { font-size: .78rem; }
.what, dd { overflow-wrap: anywhere; }
dl { margin: 0; display: grid; gap: .6rem; font-size: .9rem; }
dt { color: var(--soft); font-size: .78rem; }
dd { margin: 0; white-space: pre-wrap; max-height: 14rem; overflow-y: auto; }
.count { text-transform: none; letter-spacing: 0; font-weight: 500; }
.plus { color: var(--plus-ink); } .minus { color: var(--minus-ink); }
.file { border: 1px solid var(--edge); border-radius: .5rem; margin-top: .7rem; overflow: hidden; }
.file summary { display: flex; gap: .7rem; align-items: baseline; padding: .5rem .8rem; cursor: pointer; font-size: .85rem; }
.file .name { font-family: var(--mono); font-weight: 600; overflow-wrap: anywhere; margin-right: auto; unicode-bidi: isolate; }
.kind { color: var(--soft); }
.scroll { overflow-x: auto; border-top: 1px solid var(--edge); }
table { border-collapse: collapse; width: 100%; font: .8rem/1.45 var(--mono); }
td { padding: 0 .6rem; white-space: pre; vertical-align: top; }
td.n { width: 1%; text-align: right; color: var(--soft); user-select: none; opacity: .75; }
td.s { width: 1%; padding: 0; user-select: none; }
tr.added { background: var(--plus); } tr.removed { background: var(--minus); }
tr.hunk { background: var(--hunk); color: var(--soft); }
.none { color: var(--soft); margin: .6rem .8rem; }
section > .none { margin: 0; }
`;

// src/runs-service/session-page/session-view.ts
import { html as html4 } from "hono/html";

// src/runs-service/session-page/changes-view.ts
import { html as html2 } from "hono/html";

// src/runs-service/session-page/read-patch.ts
function readPatch(patch) {
  const files = [];
  let file;
  let numbers = { old: 0, new: 0 };
  let inHunk = false;
  for (const line of patch.split("\n")) {
    if (line.startsWith("diff --git ")) {
      file = newFile(line);
      files.push(file);
      inHunk = false;
      continue;
    }
    if (!file) continue;
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (hunk) {
      inHunk = true;
      numbers = { old: Number(hunk[1]), new: Number(hunk[2]) };
      file.lines.push({ kind: "hunk", text: (hunk[3] ?? "").trim() });
    } else if (inHunk) {
      readLine(file, line, numbers);
    } else {
      readHead(file, line);
    }
  }
  return files;
}
function newFile(line) {
  const name = / "?b\/(.*?)"?$/.exec(line)?.[1] ?? line.slice("diff --git ".length);
  return { name, change: "changed", binary: false, added: 0, removed: 0, lines: [] };
}
function readHead(file, line) {
  if (line.startsWith("new file")) file.change = "added";
  if (line.startsWith("deleted file")) file.change = "deleted";
  if (line.startsWith("rename to ")) {
    file.change = "renamed";
    file.name = line.slice("rename to ".length);
  }
  if (line.startsWith("Binary files")) file.binary = true;
}
function readLine(file, line, numbers) {
  const text2 = line.slice(1);
  switch (line[0]) {
    case "+":
      file.lines.push({ kind: "added", text: text2, newNumber: numbers.new++ });
      file.added += 1;
      break;
    case "-":
      file.lines.push({ kind: "removed", text: text2, oldNumber: numbers.old++ });
      file.removed += 1;
      break;
    case " ":
      file.lines.push({
        kind: "same",
        text: text2,
        oldNumber: numbers.old++,
        newNumber: numbers.new++
      });
      break;
  }
}

// src/runs-service/session-page/changes-view.ts
var maxShownLines = 4e3;
var openLines = 400;
function changesView({ patch, address }) {
  const files = readPatch(patch);
  if (files.length === 0)
    return html2`<section><h2>Changes</h2><p class="none">No files were changed.</p></section>`;
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  let left = maxShownLines;
  const views = files.map((file) => {
    const shown = file.lines.slice(0, Math.max(0, left));
    left -= file.lines.length;
    return fileView(file, shown);
  });
  return html2`<section><h2>Changes <span class="count">${files.length} ${files.length === 1 ? "file" : "files"}
<span class="plus">+${added}</span> <span class="minus">−${removed}</span></span>
<span class="more"><a href="${address}/changes.patch" download>Patch</a></span></h2>
${views}
${left < 0 ? html2`<p class="none">${-left} more lines are in the patch.</p>` : ""}</section>`;
}
var signs = { same: " ", added: "+", removed: "\u2212", hunk: "" };
function fileView(file, shown) {
  const rows = shown.map(
    ({ kind, text: text2, oldNumber, newNumber }) => kind === "hunk" ? html2`<tr class="hunk"><td colspan="3"></td><td>${text2 === "" ? "\u22EF" : text2}</td></tr>` : html2`<tr class="${kind}"><td class="n">${oldNumber ?? ""}</td><td class="n">${newNumber ?? ""}</td><td class="s">${signs[kind]}</td><td>${text2}</td></tr>`
  );
  const note = file.change === "changed" ? "" : html2`<span class="kind">${file.change}</span>`;
  return html2`<details class="file" ${file.lines.length <= openLines ? "open" : ""}>
<summary><span class="name" dir="ltr">${file.name}</span>${note}<span class="plus">+${file.added}</span><span class="minus">−${file.removed}</span></summary>
${file.binary ? html2`<p class="none">A binary file.</p>` : html2`<div class="scroll"><table>${rows}</table></div>`}
</details>`;
}

// src/runs-service/session-page/output-view.ts
import { html as html3, raw as raw2 } from "hono/html";
var unfoldedLines = 200;
function outputView(session) {
  const { lines } = terminalLines(session.output.replace(/\n$/, ""));
  const folded = lines.slice(0, -unfoldedLines);
  const shown = lines.slice(-unfoldedLines);
  const cut = session.outputBytes > Buffer.byteLength(session.output);
  const empty = session.output === "";
  return html3`<section id="output"><h2>Output
<span class="more"><a href="${session.address}/output.log" download>Raw log</a></span></h2>
<div class="terminal">
${cut && session.ended ? html3`<p class="cut">Only the last part is shown here; the raw log has the rest.</p>` : ""}
${folded.length > 0 ? html3`<details><summary>${folded.length} earlier lines</summary><pre>${raw2(folded.join("\n"))}</pre></details>` : ""}<pre id="lines" data-offset="${session.outputOffset}">${raw2(shown.join("\n"))}${raw2(session.output.endsWith("\n") ? "\n" : "")}</pre>
${empty && session.ended ? html3`<p class="cut">The agent printed nothing.</p>` : ""}
${session.ended ? "" : html3`<p class="live"><span class="dot"></span>live</p>`}
</div></section>`;
}

// src/runs-service/session-page/session-view.ts
var words = {
  QUEUED: "Queued",
  INPROGRESS: "In progress",
  SUCCEEDED: "Succeeded",
  FAILED: "Failed",
  CANCELLED: "Cancelled"
};
var time = (iso) => html4`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
function sessionPage(session) {
  const { run, ended, address } = session;
  return html4`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${words[run.state] ?? run.state}: ${run.title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../session-assets/session.css">
<script src="../session-assets/session.js" defer></script>
</head>
<body data-address="${address}" data-live="${ended ? "no" : "yes"}">
<main>
${headerView(session)}
<div class="columns">
<div class="story">
<section><h2>Prompt</h2><pre class="prompt" dir="auto">${run.prompt}</pre>
${session.followups.map((text2) => html4`<h3>Follow-up</h3><pre class="prompt" dir="auto">${text2}</pre>`)}</section>
${outputView(session)}
<div id="changes">${ended ? changesView(session) : ""}</div>
</div>
<aside>${timelineView(session)}${configurationView(session)}</aside>
</div>
</main>
</body>
</html>`;
}
function headerView({ run }) {
  const message = run.state === "SUCCEEDED" ? void 0 : run.status_message?.message;
  return html4`<header id="header">
<p class="state state-${run.state.toLowerCase()}"><span class="dot"></span>${words[run.state] ?? run.state}</p>
<h1 dir="auto">${run.title}</h1>
<p class="by">${run.creator?.display_name ?? "Somebody"} · ${time(run.created_at)}${run.run_time ? html4` · took ${readableDuration(run.run_time)}` : ""}</p>
${message ? html4`<pre class="reason" dir="auto">${message}</pre>` : ""}
</header>`;
}
function readableDuration(iso) {
  const seconds = Number(iso.slice(2, -1));
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
function timelineView({ changes }) {
  const entries = changes.map((change, index) => {
    const moved = change.state !== changes[index - 1]?.state;
    const text2 = moved ? words[change.state] ?? change.state : change.note ?? "Changed";
    const iso = new Date(change.changed_at).toISOString();
    return html4`<li class="${moved ? `moved state-${change.state.toLowerCase()}` : "noted"}">
<span class="dot"></span><span class="what">${text2}</span>${time(iso)}</li>`;
  });
  return html4`<section id="timeline"><h2>Timeline</h2><ol class="timeline">${entries}</ol></section>`;
}
function configurationView({ run, config, command, repositories }) {
  const rows = [
    ["Environment", config.environment_id],
    ["Repositories", repositories.join(", ")],
    ["Command", command.join(" ")],
    ["Model", config.model_id],
    ["Name", config.name],
    ["Skill", config.skill_spec],
    ["MCP servers", describeServers(config)],
    ["Base prompt", config.base_prompt],
    ["Source", run.source ?? void 0],
    ["Run", run.run_id]
  ];
  const metadata = Object.entries(run.metadata ?? {});
  return html4`<section><h2>Configuration</h2><dl>
${rows.map(([name, value]) => value ? html4`<div><dt>${name}</dt><dd dir="auto">${value}</dd></div>` : "")}
${metadata.map(([name, value]) => html4`<div><dt>${name}</dt><dd dir="auto">${linked(value)}</dd></div>`)}
</dl></section>`;
}
function linked(value) {
  if (!/^https?:\/\//.test(value)) return value;
  return html4`<a href="${value}" rel="noreferrer noopener">${value}</a>`;
}
function describeServers(config) {
  return Object.entries(config.mcp_servers ?? {}).map(([name, { command, url, warp_id }]) => {
    const where = command ?? url?.replace(/[?#].*$/, "") ?? warp_id ?? "";
    return `${name} (${withoutCredentials(where)})`;
  }).join(", ");
}

// src/runs-service/session-page/session-routes.ts
var shownOutputBytes = 512 * 1024;
var protection = {
  "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store"
};
function createSessionRoutes(options) {
  const { runs, files, stopping } = options;
  const app = new Hono4();
  for (const path of ["/session/*", "/session-assets/*"]) {
    app.use(path, async (context, next) => {
      await next();
      for (const [name, value] of Object.entries(protection)) context.header(name, value);
    });
  }
  async function find2(context) {
    const run = await runs.getBySessionToken(context.req.param("token") ?? "");
    if (!run) throw new ApiProblem("resource_not_found", "There is no session behind this link.");
    return run;
  }
  app.get(
    "/session-assets/session.css",
    (context) => context.body(sessionStyle, 200, { "content-type": "text/css; charset=utf-8" })
  );
  app.get(
    "/session-assets/session.js",
    (context) => context.body(sessionScript, 200, { "content-type": "text/javascript; charset=utf-8" })
  );
  app.get(
    "/session/:token",
    async (context) => context.html(sessionPage(await readSession(options, await find2(context))))
  );
  app.get("/session/:token/events", async (context) => {
    const run = await find2(context);
    const from = Number(context.req.header("last-event-id") ?? context.req.query("from") ?? 0);
    return streamSSE(context, async (stream) => {
      const gone = new AbortController();
      stream.onAbort(() => gone.abort());
      const events = followSession({
        outputFile: files.outputFile(run.id),
        from: Number.isSafeInteger(from) && from >= 0 ? from : 0,
        signal: AbortSignal.any([gone.signal, stopping]),
        look: async () => {
          const now = await runs.get(run.id);
          return now && { updatedAt: now.updated_at, ended: hasEnded(now.state) };
        }
      });
      for await (const event of events) await stream.writeSSE(event);
    });
  });
  app.get(
    "/session/:token/output.log",
    async (context) => download(files.outputFile((await find2(context)).id))
  );
  app.get(
    "/session/:token/changes.patch",
    async (context) => download(files.patchFile((await find2(context)).id))
  );
  return app;
}
async function download(path) {
  const found = await stat(path).catch(() => void 0);
  if (!found)
    throw new ApiProblem("resource_not_found", "This file is not there (yet, or any more).");
  const headers2 = {
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": "attachment"
  };
  return new Response(Readable.toWeb(createReadStream(path)), { headers: headers2 });
}
async function readSession(options, run) {
  const { runs, files, environments } = options;
  const environment = environments().find(({ id }) => id === run.environment_id);
  const [changes, metadata, followups, output, patch] = await Promise.all([
    runs.changesOf(run.id),
    runs.metadataOf([run.id]),
    options.followupsOf(run.id),
    readEnd(files.outputFile(run.id)),
    readFile3(files.patchFile(run.id), "utf8").catch(() => "")
  ]);
  return {
    run: presentRun(run, { metadata: metadata.get(run.id) ?? {}, sessionLink: "" }),
    config: agentConfigSchema.parse(JSON.parse(run.config_json)),
    changes,
    followups,
    command: environment?.command ?? [],
    repositories: environment?.repositories.map(repositoryName) ?? [],
    output: output.text,
    outputOffset: output.bytes,
    outputBytes: output.bytes,
    patch,
    ended: hasEnded(run.state),
    address: run.session_token
  };
}
async function readEnd(path) {
  const file = await open2(path, "r").catch(() => void 0);
  if (!file) return { text: "", bytes: 0 };
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - shownOutputBytes);
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(size - start),
      0,
      size - start,
      start
    );
    return { text: buffer.subarray(0, bytesRead).toString("utf8"), bytes: start + bytesRead };
  } finally {
    await file.close();
  }
}

// src/runs-service/runs-service.ts
function createRunsService(options) {
  let running;
  const url = () => {
    if (!running) throw new Error("The runs service has no address before it has started.");
    return running.url;
  };
  return {
    async start() {
      running ??= await startParts(options);
    },
    async stop() {
      const ending = running;
      running = void 0;
      await ending?.stop();
    },
    get url() {
      return url();
    },
    get apiUrl() {
      return `${url()}/api/v1`;
    }
  };
}
async function startParts(given) {
  const options = { ...given, dataDir: resolve2(given.dataDir) };
  const instance = claimDataDir(options.dataDir);
  try {
    return await startClaimed(options, instance);
  } catch (error) {
    instance.release();
    throw error;
  }
}
async function startClaimed(options, instance) {
  const { db: db2, logger } = options;
  const runs = createServiceRuns(db2);
  const queueStore = createServiceRunQueue(db2);
  const files = runFiles(options.dataDir);
  const { runQueue, followups, skills } = createExecution(options, instance, {
    runs,
    queueStore,
    files
  });
  await recoverAfterCrash({
    runQueue,
    queueStore,
    files,
    crashedOwner: instance.crashedOwner,
    logger
  });
  let url = "";
  const stopping = new AbortController();
  const environments = () => options.environments;
  const control = createRunControl({
    runs,
    followups,
    abort: (runId) => runQueue.cancel(runId),
    wake: () => runQueue.wake()
  });
  const app = createRunsApp({
    requestsPerMinute: options.requestsPerMinute,
    keyring: createKeyring(options.keys, createServiceKeys(db2)),
    api: [
      createRunsRoutes({
        runs,
        queue: queueStore,
        listRuns: (query) => listServiceRuns(db2, query),
        control,
        environments,
        sessionLink: (run) => `${options.publicUrl ?? url}/session/${run.session_token}`
      }),
      createCatalogRoutes({ environments, skills })
    ],
    open: [
      createSessionRoutes({
        runs,
        followupsOf: followups.listOf,
        environments,
        files,
        stopping: stopping.signal
      })
    ],
    logger
  });
  const listening = await listen(app, options.host, options.port);
  url = `http://${options.host.includes(":") ? `[${options.host}]` : options.host}:${listening.port}`;
  await runQueue.start();
  return {
    url,
    async stop() {
      stopping.abort();
      await listening.close();
      await runQueue.stop();
      instance.release();
    }
  };
}
function createExecution(options, instance, stores) {
  const { runs, queueStore, files } = stores;
  const path = options.path ?? defaultPath;
  const environments = () => options.environments;
  const followups = createServiceRunFollowups(options.db);
  const checkouts = createCheckouts({ mirrorsDir: files.mirrorsDir, path });
  const skills = createSkills({ checkouts, logger: options.logger });
  const execute = createRunExecutor({
    environments,
    checkouts,
    skills,
    files,
    takeFollowup: followups.takeOrClose,
    note: async (runId, note) => {
      await runs.change(runId, ["INPROGRESS"], { note }, instance.owner);
    },
    endLeftovers: async (runId) => {
      await killRunProcesses(/* @__PURE__ */ new Set([runId]));
    },
    path,
    runTimeoutMs: options.runTimeoutMs ?? 30 * 6e4,
    outputLimitBytes: options.outputLimitBytes ?? 2 * 1024 * 1024,
    killGraceMs: options.killGraceMs ?? 5e3,
    logger: options.logger
  });
  const runQueue = new RunQueue({
    runs,
    queue: queueStore,
    execute,
    owner: instance.owner,
    concurrency: options.concurrency ?? 4,
    roomIn: (id) => environments().find((environment) => environment.id === id)?.concurrency ?? Number.POSITIVE_INFINITY,
    logger: options.logger
  });
  return { runQueue, followups, skills };
}

// src/store/database.ts
import { Kysely, Migrator } from "kysely";

// src/store/migrations/001-settings.ts
var settings_exports = {};
__export(settings_exports, {
  up: () => up
});
async function up(db2) {
  await db2.schema.createTable("settings").addColumn("team_id", "text", (column) => column.notNull()).addColumn("scope", "text", (column) => column.notNull()).addColumn("scope_id", "text", (column) => column.notNull()).addColumn("key", "text", (column) => column.notNull()).addColumn("value_json", "text", (column) => column.notNull()).addColumn("updated_at", "bigint", (column) => column.notNull()).addPrimaryKeyConstraint("settings_pk", ["team_id", "scope", "scope_id", "key"]).execute();
}

// src/store/migrations/002-requests.ts
var requests_exports = {};
__export(requests_exports, {
  up: () => up2
});
async function up2(db2) {
  await db2.schema.createTable("requests").addColumn("id", "text", (column) => column.primaryKey()).addColumn("team_id", "text", (column) => column.notNull()).addColumn("creator_id", "text", (column) => column.notNull()).addColumn("channel_id", "text", (column) => column.notNull()).addColumn("message_channel_id", "text").addColumn("message_ts", "text").addColumn("prompt", "text", (column) => column.notNull()).addColumn("title", "text", (column) => column.notNull()).addColumn("config_json", "text", (column) => column.notNull()).addColumn("step", "text", (column) => column.notNull()).addColumn("post_began_at", "bigint").addColumn("create_began_at", "bigint").addColumn("run_id", "text").addColumn("run_state", "text").addColumn("run_json", "text").addColumn("problem_json", "text").addColumn("failures", "integer", (column) => column.notNull()).addColumn("shown", "text").addColumn("due_at", "bigint").addColumn("lease_owner", "text").addColumn("lease_until", "bigint", (column) => column.notNull()).addColumn("accepted_at", "bigint", (column) => column.notNull()).addColumn("ended_at", "bigint").execute();
  await index("requests_due", ["due_at"]);
  await index("requests_run", ["run_id"]);
  await index("requests_creator", ["team_id", "creator_id", "accepted_at"]);
  await index("requests_recent", ["team_id", "accepted_at"]);
  function index(name, columns) {
    return db2.schema.createIndex(name).on("requests").columns(columns).execute();
  }
}

// src/store/migrations/010-service-runs.ts
var service_runs_exports = {};
__export(service_runs_exports, {
  up: () => up3
});
async function up3(db2) {
  await createRuns(db2);
  await db2.schema.createTable("service_run_changes").addColumn("run_id", "text", (column) => column.notNull()).addColumn("changed_at", "bigint", (column) => column.notNull()).addColumn("until_at", "bigint").addColumn("state", "text", (column) => column.notNull()).addColumn("note", "text").addPrimaryKeyConstraint("service_run_changes_pk", ["run_id", "changed_at"]).execute();
  await db2.schema.createTable("service_run_metadata").addColumn("run_id", "text", (column) => column.notNull()).addColumn("key", "text", (column) => column.notNull()).addColumn("value", "text", (column) => column.notNull()).addPrimaryKeyConstraint("service_run_metadata_pk", ["run_id", "key"]).execute();
  await db2.schema.createTable("service_run_followups").addColumn("run_id", "text", (column) => column.notNull()).addColumn("number", "integer", (column) => column.notNull()).addColumn("message", "text", (column) => column.notNull()).addColumn("created_at", "bigint", (column) => column.notNull()).addColumn("taken_at", "bigint").addPrimaryKeyConstraint("service_run_followups_pk", ["run_id", "number"]).execute();
  await createIndexes(db2);
}
async function createRuns(db2) {
  await db2.schema.createTable("service_runs").addColumn("id", "text", (column) => column.primaryKey()).addColumn("session_token", "text", (column) => column.notNull().unique()).addColumn("title", "text", (column) => column.notNull()).addColumn("prompt", "text", (column) => column.notNull()).addColumn("search_text", "text", (column) => column.notNull()).addColumn("state", "text", (column) => column.notNull()).addColumn("status_json", "text").addColumn("config_json", "text", (column) => column.notNull()).addColumn("config_name", "text").addColumn("model_id", "text").addColumn("environment_id", "text", (column) => column.notNull()).addColumn("skill_spec", "text").addColumn("creator_json", "text", (column) => column.notNull()).addColumn("creator_uid", "text", (column) => column.notNull()).addColumn("source", "text", (column) => column.notNull()).addColumn("conversation_id", "text", (column) => column.notNull()).addColumn("idempotency_key", "text", (column) => column.unique()).addColumn("request_hash", "text", (column) => column.notNull()).addColumn("created_at", "bigint", (column) => column.notNull()).addColumn("updated_at", "bigint", (column) => column.notNull()).addColumn("started_at", "bigint").addColumn("ended_at", "bigint").addColumn("cancel_requested", "integer", (column) => column.notNull()).addColumn("lease_owner", "text").addColumn("lease_until", "bigint").execute();
}
async function createIndexes(db2) {
  const ways = [
    ["updated_at", "id"],
    ["created_at", "id"],
    ["title", "id"],
    ["state", "updated_at", "id"],
    ["state", "creator_uid", "environment_id", "created_at"],
    ["creator_uid", "updated_at", "id"],
    ["environment_id", "updated_at", "id"],
    ["config_name", "updated_at", "id"],
    ["model_id", "updated_at", "id"],
    ["source", "updated_at", "id"],
    ["skill_spec", "updated_at", "id"],
    ["conversation_id", "created_at"]
  ];
  for (const columns of ways) {
    await db2.schema.createIndex(`service_runs_by_${columns.join("_")}`).on("service_runs").columns(columns).execute();
  }
  await db2.schema.createIndex("service_run_changes_by_until_at").on("service_run_changes").column("until_at").execute();
  await db2.schema.createIndex("service_run_metadata_by_value").on("service_run_metadata").columns(["key", "value", "run_id"]).execute();
}

// src/store/migrations/011-service-keys.ts
var service_keys_exports = {};
__export(service_keys_exports, {
  up: () => up4
});
async function up4(db2) {
  await db2.schema.alterTable("service_runs").addColumn("followups_closed", "integer", (column) => column.notNull().defaultTo(0)).execute();
  await db2.schema.createTable("service_keys").addColumn("key_hash", "text", (column) => column.primaryKey()).addColumn("prefix", "text", (column) => column.notNull()).addColumn("creator_type", "text", (column) => column.notNull()).addColumn("creator_uid", "text", (column) => column.notNull()).addColumn("display_name", "text", (column) => column.notNull()).addColumn("created_at", "bigint", (column) => column.notNull()).addColumn("revoked_at", "bigint").execute();
}

// src/store/migrations/012-service-run-lists.ts
var service_run_lists_exports = {};
__export(service_run_lists_exports, {
  up: () => up5
});
import { sql as sql4 } from "kysely";
async function up5(db2) {
  await db2.schema.alterTable("service_run_metadata").addColumn("updated_at", "bigint", (column) => column.notNull().defaultTo(0)).execute();
  await sql4`update service_run_metadata set updated_at =
    (select updated_at from service_runs r where r.id = service_run_metadata.run_id)`.execute(db2);
  await db2.schema.dropIndex("service_run_metadata_by_value").execute();
  await db2.schema.createIndex("service_run_metadata_by_value_updated_at").on("service_run_metadata").columns(["key", "value", "updated_at", "run_id"]).execute();
  await db2.schema.createIndex("service_runs_by_creator_uid_state_updated_at_id").on("service_runs").columns(["creator_uid", "state", "updated_at", "id"]).execute();
}

// src/store/migrations.ts
var migrations = {
  "001-settings": settings_exports,
  "002-requests": requests_exports,
  "010-service-runs": service_runs_exports,
  "011-service-keys": service_keys_exports,
  "012-service-run-lists": service_run_lists_exports
};

// src/store/postgres.ts
import { PostgresDialect } from "kysely";
import pg from "pg";
var int8 = 20;
function postgresDialect(connectionString) {
  const types = new pg.TypeOverrides();
  types.setTypeParser(int8, Number);
  return new PostgresDialect({ pool: new pg.Pool({ connectionString, types }) });
}

// src/store/sqlite.ts
import { mkdirSync as mkdirSync3 } from "node:fs";
import { dirname as dirname4 } from "node:path";
import { SqliteDialect } from "kysely";
import Sqlite from "libsql";
function sqliteDialect(path) {
  if (path !== ":memory:") mkdirSync3(dirname4(path), { recursive: true });
  const database = new Sqlite(path);
  database.exec("PRAGMA journal_mode=WAL");
  database.exec("PRAGMA synchronous=FULL");
  database.exec("PRAGMA busy_timeout=5000");
  database.exec("PRAGMA foreign_keys=ON");
  return new SqliteDialect({ database });
}

// src/store/database.ts
async function openDatabase(url) {
  const db2 = new Kysely({
    dialect: url.startsWith("sqlite:") ? sqliteDialect(url.slice("sqlite:".length)) : postgresDialect(url)
  });
  const provider = { getMigrations: async () => migrations };
  const { error } = await new Migrator({ db: db2, provider }).migrateToLatest();
  if (error) {
    await db2.destroy();
    throw new Error("The database could not be brought up to date.", { cause: error });
  }
  return db2;
}

// test/bench/service.bench.ts
var count = Number(process.argv[2] ?? 1e6);
var folder = mkdtempSync(join6(tmpdir(), "slash-agent-bench-"));
var say = (line) => process.stdout.write(`${line}
`);
async function fill(db2) {
  const now = Date.now();
  await sql5`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into service_runs (id, session_token, title, prompt, search_text, state, config_json, config_name, model_id,
      environment_id, creator_json, creator_uid, source, conversation_id, request_hash, created_at, updated_at,
      started_at, ended_at, cancel_requested, followups_closed)
    select 'run-' || i, 'token-' || i, 'Run number ' || i, 'Mend the flaky test', 'run number ' || i || ' mend the flaky test',
      case i % 100 when 0 then 'FAILED' when 1 then 'CANCELLED' else 'SUCCEEDED' end,
      '{"environment_id":"demo"}', 'name-' || (i % 10), 'model-' || (i % 5), 'demo', '{"uid":"u"}', 'user-' || (i % 100),
      case i % 3 when 0 then 'API' else 'SLACK' end, 'c-' || i, '', ${now} - i * 60000, ${now} - i * 60000, 1, 2, 0, 1
    from n`.execute(db2);
  await sql5`insert into service_run_changes (run_id, changed_at, until_at, state)
    select id, updated_at, null, state from service_runs`.execute(db2);
  await sql5`insert into service_run_metadata (run_id, key, value, updated_at)
    select id, 'team', 'T' || (rowid % 50), updated_at from service_runs`.execute(db2);
}
var at = (values, share) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0;
async function measure(name, times, work) {
  const took = [];
  for (let round = 0; round < times; round += 1) {
    const begin = performance.now();
    await work();
    took.push(performance.now() - begin);
  }
  say(
    `${name.padEnd(46)} p50 ${at(took, 0.5).toFixed(2)} ms   p99 ${at(took, 0.99).toFixed(2)} ms`
  );
}
async function throughput(work) {
  const begin = performance.now();
  let done = 0;
  const worker = async () => {
    while (performance.now() - begin < 1500) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return done / ((performance.now() - begin) / 1e3);
}
var db = await openDatabase(`sqlite:${join6(folder, "bench.db")}`);
say(`filling the store with ${count} runs \u2026`);
await fill(db);
var service = createRunsService({
  db,
  dataDir: folder,
  environments: [{ id: "demo", repositories: [{ url: "/nowhere" }], command: ["true"] }],
  keys: [{ key: "bench-key", creator: { type: "user", uid: "bench", display_name: "Bench" } }],
  host: "127.0.0.1",
  port: 0,
  logger: createLogger("silent"),
  requestsPerMinute: 1e9
});
await service.start();
var bare = await listen(
  new Hono5().get("/", (context) => context.json({ run_id: "x" })),
  "127.0.0.1",
  0
);
var pool = new Pool(service.url, { connections: 16 });
var barePool = new Pool(`http://127.0.0.1:${bare.port}`, { connections: 16 });
var headers = { authorization: "Bearer bench-key", "content-type": "application/json" };
var ask = async (path) => {
  const answer = await pool.request({ method: "GET", path: `/api/v1${path}`, headers });
  const body2 = await answer.body.json();
  if (answer.statusCode !== 200) throw new Error(JSON.stringify(body2));
  return body2;
};
var number = 0;
var anyRun = () => {
  number += 7919;
  return `/agent/runs/run-${1 + number % count}`;
};
var lists = [
  "",
  "state=FAILED",
  "state=FAILED&state=CANCELLED",
  "state=QUEUED",
  "creator=user-42",
  "creator=user-42&state=FAILED",
  "name=name-3",
  "name=name-3&model_id=model-3&creator=user-43",
  "source=API",
  "skill_spec=none",
  "metadata[team]=T7",
  "metadata[team]=none",
  "q=number%20777",
  "q=nowhere%20to%20be%20found",
  "sort_by=title",
  "sort_by=created_at&sort_order=asc",
  "created_before=2026-01-01T00:00:00Z",
  "creator=user-42&created_before=2025-06-01T00:00:00Z"
];
await measure("get", 500, () => ask(anyRun()));
for (const query of lists) await measure(`list ${query}`, 15, () => ask(`/agent/runs?${query}`));
var cursor = "";
for (let page = 0; page < 200; page += 1) {
  const next = await ask(`/agent/runs?limit=100&creator=user-42${cursor}`);
  if (next.page_info.next_cursor === void 0) break;
  cursor = `&cursor=${next.page_info.next_cursor}`;
}
await measure(
  "list creator=user-42, far behind",
  15,
  () => ask(`/agent/runs?limit=20&creator=user-42${cursor}`)
);
var body = JSON.stringify({ prompt: "Mend it" });
await measure("create", 100, async () => {
  const answer = await pool.request({ method: "POST", path: "/api/v1/agent/run", headers, body });
  await answer.body.dump();
});
var ratios = [];
for (let round = 0; round < 3; round += 1) {
  const ours = await throughput(() => ask(anyRun()));
  const theirs = await throughput(async () => {
    const answer = await barePool.request({ method: "GET", path: "/" });
    await answer.body.json();
  });
  ratios.push(ours / theirs);
  say(`get ${ours.toFixed(0)}/s, bare Hono ${theirs.toFixed(0)}/s`);
}
say(`get has ${(at(ratios, 0.5) * 100).toFixed(0)} % of the throughput of bare Hono`);
await Promise.all([pool.close(), barePool.close()]);
await bare.close();
await service.stop();
await db.destroy();
rmSync2(folder, { recursive: true, force: true });
