import { z } from 'zod';
import { jobLabel } from './job.ts';

/**
 * Schema of the metadata fields that the service reads from the cluster's objects.
 * https://kubernetes.io/docs/reference/kubernetes-api/
 */
const metadataSchema = z.object({
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
  annotations: z.record(z.string(), z.string()).default({}),
  deletionTimestamp: z.string().optional(),
});

const conditionsSchema = z
  .array(
    z.object({
      type: z.string(),
      status: z.string(),
      reason: z.string().default(''),
      message: z.string().default(''),
    }),
  )
  .default([]);

export const jobSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ suspend: z.boolean().default(false) }),
  status: z.object({ conditions: conditionsSchema }).prefault({}),
});
export type Job = z.infer<typeof jobSchema>;

const containerStateSchema = z
  .object({
    waiting: z.object({ reason: z.string().default(''), message: z.string().default('') }),
    running: z.object({}),
    terminated: z.object({
      exitCode: z.number(),
      reason: z.string().default(''),
      message: z.string().default(''),
    }),
  })
  .partial();

const containerStatusesSchema = z
  .array(
    z.object({
      name: z.string(),
      image: z.string().default(''),
      state: containerStateSchema.default({}),
    }),
  )
  .default([]);

export const podSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ nodeName: z.string().default('') }),
  status: z
    .object({
      phase: z.string().default('Pending'),
      reason: z.string().default(''),
      message: z.string().default(''),
      conditions: conditionsSchema,
      initContainerStatuses: containerStatusesSchema,
      containerStatuses: containerStatusesSchema,
    })
    .prefault({}),
});
export type Pod = z.infer<typeof podSchema>;

export const eventSchema = z.object({
  type: z.string().default(''),
  reason: z.string().default(''),
  message: z.string().default(''),
});

export const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(z.unknown()),
});

/** Schema of one line of a watch. The object is checked when its type is known. */
export const watchLineSchema = z.object({ type: z.string(), object: z.unknown() });

/** Schema of a bookmark, with which a watch reports its position without a change. */
export const bookmarkSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/** Returns the name of the Job that a Job or pod belongs to. */
export const jobNameOf = ({ metadata }: Job | Pod): string => metadata.labels[jobLabel] ?? '';
