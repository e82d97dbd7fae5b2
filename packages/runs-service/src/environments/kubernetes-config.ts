import { z } from 'zod';

const dnsLabel = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, {
    error: 'must have lowercase letters, digits and hyphens only',
  });

/** Container of the pod template. Only its name is checked here, because the cluster checks the rest. */
const containerSchema = z.looseObject({ name: z.string().min(1) });

/** Kubernetes PodTemplateSpec. The cluster checks all other fields when the service starts. */
const podTemplateSchema = z
  .strictObject({
    metadata: z
      .strictObject({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()),
      })
      .partial(),
    spec: z.looseObject({ containers: z.array(containerSchema).optional() }),
  })
  .partial();

/** Settings for the pods of an environment's runs. */
export const kubernetesConfigSchema = z.strictObject({
  /** Image of the pods: slash-agent's, or one that is based on it. */
  image: z.string().min(1),
  /** Namespace of the runs. By default the service's own, or the one of the kubeconfig's context. */
  namespace: dnsLabel.optional(),
  /** The queue of Kueue that admits the runs. */
  queue_name: dnsLabel.optional(),
  /** Time that a pod waits for a node. The default of 30 seconds is too short for a cluster that adds nodes. */
  node_wait_seconds: z.number().int().positive().max(3_600).optional(),
  /** Disk for the files of one run: checkout, caches, the agent's home. 10Gi by default. */
  disk: z
    .string()
    .regex(/^[1-9][0-9]*(Ki|Mi|Gi|Ti|k|M|G|T)?$/, { error: 'must be a size, such as 10Gi' })
    .optional(),
  /**
   * Template that is merged into the pod of a run. Its container named "run" sets options of the container for
   * `run-one`.
   */
  pod_template: podTemplateSchema.optional(),
});
export type KubernetesConfig = z.infer<typeof kubernetesConfigSchema>;
