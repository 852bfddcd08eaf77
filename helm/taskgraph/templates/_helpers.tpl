{{/* Names, labels and the image: what all templates share. */}}

{{- define "taskgraph.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* The base of all names: at most 40 characters, so that every suffix fits into the 63 of a label. */}}
{{- define "taskgraph.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "taskgraph.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What never changes of an object's labels. In: root, component ("" for what belongs to all). */}}
{{- define "taskgraph.selectorLabels" -}}
app.kubernetes.io/name: {{ include "taskgraph.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "taskgraph.labels" -}}
{{ include "taskgraph.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: {{ include "taskgraph.name" .root }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The metadata of an object. In: root, component, suffix (of its name, "" for none), annotations and labels (further ones). */}}
{{- define "taskgraph.metadata" -}}
name: {{ include "taskgraph.fullname" .root }}{{ with .suffix }}-{{ . }}{{ end }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- $labels := include "taskgraph.labels" . | fromYaml }}
  {{- toYaml (mergeOverwrite $labels (deepCopy (default dict .labels))) | nindent 2 }}
{{- $annotations := mergeOverwrite (deepCopy .root.Values.commonAnnotations) (deepCopy (default dict .annotations)) }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "taskgraph.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "taskgraph.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "taskgraph.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{/*
The volume of exports in a container. Each release has a folder of its own there, because an export deletes older ones of its folder, and
a test reads the newest.
*/}}
{{- define "taskgraph.exportsFolder" -}}
{{- default (printf "%s/%s" .Release.Namespace .Release.Name) .Values.exports.subPath -}}
{{- end -}}

{{- define "taskgraph.exportsMount" -}}
name: exports
mountPath: /exports
{{- $folder := include "taskgraph.exportsFolder" . }}
{{- if ne $folder "." }}
subPath: {{ $folder | quote }}
{{- end }}
{{- end -}}

{{/* A map without its null values, as YAML: null is how values leave a field of the default out. */}}
{{- define "taskgraph.withoutNulls" -}}
{{- $kept := dict -}}
{{- range $key, $value := . -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $_ := set $kept $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $kept -}}
{{- end -}}

{{/* What gateway, worker, jobs or hooks was given, over the defaults. In: root, name. Out: YAML. */}}
{{- define "taskgraph.service" -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy (index .root.Values .name)) | toYaml -}}
{{- end -}}

{{/* The metrics' names as YAML: those of files/metrics.json, and what the values say instead. */}}
{{- define "taskgraph.metrics" -}}
{{- mergeOverwrite (.Files.Get "files/metrics.json" | fromJson) .Values.monitoring.metrics | toYaml -}}
{{- end -}}

{{/* "sleep" has a handler of its own from Kubernetes 1.30 on; before it Node waits, since the image has no shell. */}}
{{- define "taskgraph.preStop" -}}
{{- if semverCompare ">=1.30.0-0" .root.Capabilities.KubeVersion.Version -}}
sleep:
  seconds: {{ .seconds }}
{{- else -}}
exec:
  command: [node, -e, "setTimeout(() => undefined, {{ mul .seconds 1000 }})"]
{{- end -}}
{{- end -}}
