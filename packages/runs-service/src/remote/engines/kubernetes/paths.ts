export const jobsPath = (namespace: string) => `/apis/batch/v1/namespaces/${namespace}/jobs`;
export const podsPath = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;
export const secretsPath = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;
export const eventsPath = (namespace: string) => `/api/v1/namespaces/${namespace}/events`;
export const reviewsPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
