{{/* Shared parts of the alerts. */}}

{{/*
The series of this release's pods, as matchers. The kinds of services are part of the pattern, because the name of another release may
begin with the name of this one.
*/}}
{{- define "taskgraph.series" -}}
namespace="{{ .Release.Namespace }}",pod=~"{{ include "taskgraph.fullname" . }}-(gateway|worker|jobs|hooks)-.*"
{{- end -}}

{{/* Identifies the dashboard in Grafana, in at most 40 characters: a function of namespace and release, and different for each. */}}
{{- define "taskgraph.dashboardUid" -}}
taskgraph-{{ printf "%s/%s" .Release.Namespace (include "taskgraph.fullname" .) | sha256sum | trunc 16 }}
{{- end -}}

{{/*
Labels and annotations of an alert. In: root, alert, severity, labels (further ones), summary, description, panel (title of its graph on
the dashboard).
*/}}
{{- define "taskgraph.alert" -}}
{{- $root := .root -}}
{{- $rule := $root.Values.monitoring.prometheusRule -}}
labels:
  {{- toYaml (mergeOverwrite (dict "severity" .severity) (default dict .labels) (deepCopy $rule.alertLabels)) | nindent 2 }}
annotations:
  summary: {{ .summary | quote }}
  description: {{ .description | quote }}
  runbook_url: {{ printf "%s#%s" $rule.runbookUrl (lower .alert) | quote }}
  {{- $panel := dict }}
  {{- $title := .panel }}
  {{- range ($root.Files.Get "files/dashboard.json" | fromJson).panels }}
  {{- if eq .title $title }}{{ $panel = . }}{{ end }}
  {{- end }}
  {{- $uid := include "taskgraph.dashboardUid" $root }}
  {{- /* Grafana links an alert with these two annotations to the panel. */}}
  __dashboardUid__: {{ $uid }}
  __panelId__: {{ printf "%.0f" $panel.id | quote }}
  {{- with $root.Values.monitoring.dashboard.grafanaUrl }}
  dashboard_url: {{ printf "%s/d/%s?viewPanel=%.0f" (trimSuffix "/" .) $uid $panel.id | quote }}
  {{- end }}
{{- end -}}
