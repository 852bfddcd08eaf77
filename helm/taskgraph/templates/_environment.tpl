{{/* The variables of a service: what the chart sets, the backends, the secrets and the service's `config`. */}}

{{/*
One secret variable. In: root, variable, required, hook (true in a hook, which runs before the release's own Secret is there).
The texts of secrets.values come first, then secrets.references, then secrets.existingSecret.
*/}}
{{- define "taskgraph.secretVariable" -}}
{{- $secrets := .root.Values.secrets -}}
{{- $reference := index $secrets.references .variable -}}
{{- if hasKey $secrets.values .variable }}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ include "taskgraph.fullname" .root }}{{ if .hook }}-migration{{ end }}
      key: {{ .variable }}
{{- else if $reference }}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $reference.name }}
      key: {{ $reference.key }}
{{- else if $secrets.existingSecret }}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $secrets.existingSecret }}
      key: {{ .variable }}
      {{- if not .required }}
      optional: true
      {{- end }}
{{- else if .required }}
{{- fail (printf "secrets: %s is not set. Name a Secret that has it in secrets.existingSecret or secrets.references.%s, or for a trial give it in secrets.values.%s." .variable .variable .variable) }}
{{- end }}
{{- end -}}

{{/* All variables of a service, as a list in YAML. In: root, name (of the service), config, extraEnv, hook. */}}
{{- define "taskgraph.environment" -}}
{{- $root := .root -}}
{{- $hook := default false .hook -}}
{{- $known := index ($root.Files.Get "files/variables.json" | fromJson) .name -}}
{{- /* Gateways share some limits by their number while Redis is away; too few of them are better than refusals in error. */}}
{{- $gateways := ternary $root.Values.gateway.autoscaling.minReplicas $root.Values.gateway.replicas $root.Values.gateway.autoscaling.enabled -}}
{{- $values := dict
  "NODE_ENV" "production"
  "GATEWAYS" (max 1 $gateways | toString)
  "NEO4J_URL" $root.Values.neo4j.url
  "NEO4J_USER" $root.Values.neo4j.user
  "NATS_URL" $root.Values.nats.url
  "NATS_USER" $root.Values.nats.user
  "HOST" "0.0.0.0"
  "ADMIN_HOST" "0.0.0.0"
  "ADMIN_PORT" (toString $root.Values.adminPort.port)
  "PORT" "8080" -}}
{{- if $root.Values.redis.url }}{{ $_ := set $values "REDIS_URL" $root.Values.redis.url }}{{ end -}}
{{- range $variable := $known.chart }}
{{- if hasSuffix "_ID" $variable }}
- name: {{ $variable }}
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- else }}
- name: {{ $variable }}
  value: {{ get $values $variable | quote }}
{{- end }}
{{- end }}
{{- range $variable, $required := $known.secrets }}
{{- if and (eq $variable "REDIS_URL") $root.Values.redis.url }}
- name: REDIS_URL
  value: {{ $root.Values.redis.url | quote }}
{{- else }}
{{- include "taskgraph.secretVariable" (dict "root" $root "variable" $variable "required" $required "hook" $hook) }}
{{- end }}
{{- end }}
{{- range $variable, $value := .config }}
{{- if not (kindIs "invalid" $value) }}
- name: {{ $variable }}
  {{- /* Helm reads large integers as floats, which would come out as 1.34217728e+08. */}}
  value: {{ if kindIs "float64" $value }}{{ if eq (floor $value) $value }}{{ int64 $value | toString | quote }}{{ else }}{{ toString $value | quote }}{{ end }}{{ else }}{{ toString $value | quote }}{{ end }}
{{- end }}
{{- end }}
{{- with .extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}
