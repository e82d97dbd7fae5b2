{{- /* Variables of a container. Values of the operator override the chart's. */}}
{{- define "slash-agent.env" -}}
{{- $all := dict "DATABASE_URL_FILE" "/run/secrets/slash-agent/database_url" }}
{{- $_ := set $all "ENCRYPTION_KEY_FILE" "/run/secrets/slash-agent/encryption_key" }}
{{- $_ := set $all "METRICS_PORT" "9100" }}
{{- range $variables := . }}
{{- range $name, $value := $variables }}
{{- $_ := set $all $name $value }}
{{- end }}
{{- end }}
{{- range $name, $value := $all }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{- define "slash-agent.pod" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.pods }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "slash-agent.container" -}}
image: {{ .Values.image | quote }}
startupProbe:
  httpGet: { path: /healthz, port: http }
  failureThreshold: 60
  periodSeconds: 5
livenessProbe:
  httpGet: { path: /healthz, port: http }
readinessProbe:
  httpGet: { path: /readyz, port: http }
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}
