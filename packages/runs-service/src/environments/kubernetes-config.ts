import { z } from 'zod';

const dnsLabel = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, {
    error: 'must have lowercase letters, digits and hyphens only',
  });

/** Schema of a container in the pod template. Checks only its name, because the cluster checks the rest. */
const containerSchema = z.looseObject({ name: z.string().min(1) });

/** Schema of a Kubernetes PodTemplateSpec. The cluster checks all other fields when the service starts. */
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
  /** Namespace of the runs. By default the service's own namespace, or that of the kubeconfig's context. */
  namespace: dnsLabel.optional(),
  /** Name of the Kueue queue that admits the runs. */
  queue_name: dnsLabel.optional(),
  /** Max time that a pod waits for a node, in seconds. The default of 30 is too short for a cluster that adds nodes. */
  node_wait_seconds: z.number().int().positive().max(3_600).optional(),
  /** Size of the disk for one run's files: checkout, caches, the agent's home. 10Gi by default. */
  disk: z
    .string()
    .regex(/^[1-9][0-9]*(Ki|Mi|Gi|Ti|k|M|G|T)?$/, { error: 'must be a size, such as 10Gi' })
    .optional(),
  /**
   * Template that is merged into the pod of a run. Options of its container named "run" apply to the container of
   * `run-one`.
   */
  pod_template: podTemplateSchema.optional(),
});
export type KubernetesConfig = z.infer<typeof kubernetesConfigSchema>;
