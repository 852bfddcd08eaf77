{{/* The variables of a service: what the chart sets, the backends, the secrets and the service's `config`. */}}

{{/*
One secret variable. In: root, variable, required, hook (true in a hook, which runs before the release's own Secret is there), and
key, under which the Secrets have it, where that is not its name.
The texts of secrets.values come first, then secrets.references, then secrets.existingSecret.
*/}}
{{- define "taskgraph.secretVariable" -}}
{{- $secrets := .root.Values.secrets -}}
{{- $key := default .variable .key -}}
{{- $reference := index $secrets.references $key -}}
{{- if hasKey $secrets.values $key }}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ include "taskgraph.fullname" .root }}{{ if .hook }}-migration{{ end }}
      key: {{ $key }}
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
      key: {{ $key }}
      {{- if not .required }}
      optional: true
      {{- end }}
{{- else if .required }}
{{- fail (printf "secrets: %s is not set. Name a Secret that has it in secrets.existingSecret or secrets.references.%s, or for a trial give it in secrets.values.%s." $key $key $key) }}
{{- end }}
{{- end -}}

{{/* All variables of a service, as a list in YAML. In: root, name (of the service), config, extraEnv, hook, omit (secrets to leave out). */}}
{{- define "taskgraph.environment" -}}
{{- $root := .root -}}
{{- $hook := default false .hook -}}
{{- $name := .name -}}
{{- $known := index ($root.Files.Get "files/variables.json" | fromJson) .name -}}
{{- /* Gateways share some limits by their number while Redis is away; too few of them are better than refusals in error. */}}
{{- $gateways := ternary $root.Values.gateway.autoscaling.minReplicas $root.Values.gateway.replicas $root.Values.gateway.autoscaling.enabled -}}
{{- /* No allowed network opens the way to these hosts; their ports do not matter. */}}
{{- $backendHosts := list -}}
{{- range $url := splitList "," (printf "%s,%s" $root.Values.neo4j.url $root.Values.redis.url) }}
{{- with get (urlParse (trim $url)) "host" }}{{ $backendHosts = append $backendHosts . }}{{ end -}}
{{- end }}
{{- $values := dict
  "NODE_ENV" "production"
  "GATEWAYS" (max 1 $gateways | toString)
  "NEO4J_URL" $root.Values.neo4j.url
  "NEO4J_USER" $root.Values.neo4j.user
  "NATS_URL" $root.Values.nats.url
  "NATS_USER" (default (get $root.Values.nats.users .name) $root.Values.nats.user)
  "HOOKS_PROTECTED_HOSTS" (join "," $backendHosts)
  "REDIS_MODE" $root.Values.redis.mode
  "HOST" "0.0.0.0"
  "ADMIN_HOST" "0.0.0.0"
  "ADMIN_PORT" (toString $root.Values.adminPort.port)
  "PORT" "8080" -}}
{{- if $root.Values.redis.url }}{{ $_ := set $values "REDIS_URL" $root.Values.redis.url }}{{ end -}}
{{- with $root.Values.redis.sentinelMaster }}{{ $_ := set $values "REDIS_SENTINEL_MASTER" . }}{{ end -}}
{{- range $backend := list "neo4j" "nats" "redis" }}
{{- $tls := (get $root.Values $backend).tls -}}
{{- $prefix := upper $backend -}}
{{- if and $tls.secretName $tls.authorityKey }}{{ $_ := set $values (printf "%s_CA_FILE" $prefix) (printf "/etc/taskgraph/%s/%s" $backend $tls.authorityKey) }}{{ end -}}
{{- if and $tls.secretName $tls.clientCertificate }}
{{- $_ := set $values (printf "%s_CERTIFICATE_FILE" $prefix) (printf "/etc/taskgraph/%s/tls.crt" $backend) }}
{{- $_ := set $values (printf "%s_KEY_FILE" $prefix) (printf "/etc/taskgraph/%s/tls.key" $backend) }}
{{- end }}
{{- with get $tls "serverName" }}{{ $_ := set $values (printf "%s_SERVER_NAME" $prefix) . }}{{ end -}}
{{- end }}
{{- range $variable := $known.chart }}
{{- if hasSuffix "_ID" $variable }}
- name: {{ $variable }}
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
{{- else if or (hasKey $values $variable) (not (regexMatch "_(FILE|SERVER_NAME|SENTINEL_MASTER)$" $variable)) }}
- name: {{ $variable }}
  value: {{ get $values $variable | quote }}
{{- end }}
{{- end }}
{{- $omitted := default list .omit -}}
{{- range $variable, $required := $known.secrets }}
{{- if has $variable $omitted }}
{{- else if and (eq $variable "REDIS_URL") $root.Values.redis.url }}
- name: REDIS_URL
  value: {{ $root.Values.redis.url | quote }}
{{- else }}
{{- $own := and (eq $variable "NATS_PASSWORD") (not $root.Values.nats.user) -}}
{{- $key := ternary (printf "NATS_%s_PASSWORD" (upper $name)) $variable $own -}}
{{- include "taskgraph.secretVariable" (dict "root" $root "variable" $variable "key" $key "required" $required "hook" $hook) }}
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

{{/* The backends that a service speaks to, as a list in JSON. In: the name of the service; the migration is `admin`. */}}
{{- define "taskgraph.backends" -}}
{{- get (dict "gateway" (list "nats" "redis") "worker" (list "neo4j" "nats") "jobs" (list "neo4j" "nats" "redis") "hooks" (list "nats") "admin" (list "neo4j")) . | toJson -}}
{{- end -}}

{{/* Volumes with the certificates of the backends that a service speaks to. In: root, name. */}}
{{- define "taskgraph.certificateVolumes" -}}
{{- $root := .root -}}
{{- range $backend := include "taskgraph.backends" .name | fromJsonArray }}
{{- with (get $root.Values $backend).tls.secretName }}
- name: {{ $backend }}-certificates
  secret:
    secretName: {{ . }}
    {{- /* 0440, as a number that all readers of YAML take for the same. */}}
    defaultMode: 288
{{- end }}
{{- end }}
{{- end -}}

{{/* Where those are mounted. In: root, name. */}}
{{- define "taskgraph.certificateMounts" -}}
{{- $root := .root -}}
{{- range $backend := include "taskgraph.backends" .name | fromJsonArray }}
{{- if (get $root.Values $backend).tls.secretName }}
- name: {{ $backend }}-certificates
  mountPath: /etc/taskgraph/{{ $backend }}
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}
