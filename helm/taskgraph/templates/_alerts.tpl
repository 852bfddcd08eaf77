{{/* Shared parts of the alerts. */}}

{{/*
The series of this release, as matchers. The label "service", which the ServiceMonitor adds, is a whole name. The names of pods end in
any text, so that a pattern for them would also match those of a release such as "tasks-worker-x" beside "tasks".
*/}}
{{- define "taskgraph.series" -}}
namespace="{{ .Release.Namespace }}",service=~"{{ include "taskgraph.fullname" . }}-(gateway|worker|jobs|hooks)-admin"
{{- end -}}

{{/*
Unix time of the start of the newest good export: that of its Job, else the completion that the CronJob reports, which is at most one run
later, else the creation of the CronJob. The names of Jobs are those of the CronJob, and of the command in docs/operations.md.
*/}}
{{- define "taskgraph.exportStart" -}}
{{- $metrics := include "taskgraph.metrics" . | fromYaml -}}
{{- $cronJob := printf "namespace=\"%s\",cronjob=\"%s-export\"" .Release.Namespace (include "taskgraph.fullname" .) -}}
{{- $jobs := printf "namespace=\"%s\",job_name=~\"%s-export-([0-9]+|now)\"" .Release.Namespace (include "taskgraph.fullname" .) -}}
(max({{ $metrics.exportJobStart }}{{ "{" }}{{ $jobs }}{{ "}" }} and on (job_name) {{ $metrics.exportJobComplete }}{{ "{" }}{{ $jobs }},condition="true"{{ "}" }} == 1)
or max({{ $metrics.exportTime }}{{ "{" }}{{ $cronJob }}{{ "}" }})
or max({{ $metrics.exportCreated }}{{ "{" }}{{ $cronJob }}{{ "}" }}))
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
