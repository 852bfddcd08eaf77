{{/*
Warnings after an install that works but is unsafe or probably not as intended.
*/}}
{{- define "taskgraph.warnings" -}}
{{- if .Values.secrets.values }}

WARNING: secrets.values is for trials. Helm stores these values in the release; put them into your own Secret.
{{- end }}
{{- if and .Values.ingress.enabled (empty .Values.ingress.tls) }}

WARNING: the Ingress has no TLS of its own. Tokens are safe only if TLS ends in front of it.
{{- end }}
{{- if or .Values.ingress.enabled .Values.gatewayApi.enabled }}

WARNING: the addresses of calendars contain secrets in their paths. Leave the paths under /calendar/ out of the access logs of the
Ingress or Gateway controller.
{{- end }}
{{- if not .Values.networkPolicy.enabled }}

WARNING: without network policies every pod of the cluster can reach the services and their metrics.
{{- end }}
{{- $config := .Values.gateway.config }}
{{- $isOutside := and .Values.gateway.enabled (or .Values.ingress.enabled .Values.gatewayApi.enabled) }}
{{- if and $isOutside (empty $config.TRUSTED_PROXIES) }}

WARNING: gateway.config.TRUSTED_PROXIES names no proxy. All callers from outside count as one for the limits, and can open ten
connections a minute together. Name the addresses of the Ingress or Gateway controller's pods, and as few others as possible.
{{- end }}
{{- if regexMatch "/1?[0-9]\\s*(,|$)" (default "" $config.TRUSTED_PROXIES) }}

WARNING: gateway.config.TRUSTED_PROXIES names a wide network. A client that reaches a gateway from inside it can forge its address for
the limits. Name only the addresses of the proxies.
{{- end }}
{{- if and .Values.ingress.enabled (eq .Values.ingress.controller "alb") .Values.networkPolicy.enabled (empty .Values.networkPolicy.extraIngress) }}

WARNING: the network policies let no load balancer check the gateways' health at port {{ .Values.adminPort.port }}. Allow its subnets in
networkPolicy.extraIngress.
{{- end }}
{{- if and .Values.exports.enabled .Values.exports.restoreTest.enabled (semverCompare "<1.29.0-0" .Capabilities.KubeVersion.Version) }}

WARNING: before Kubernetes 1.29 helm test does not restore exports. It only compares the newest one with its checksums.
{{- end }}
{{- $keda := .Values.worker.keda }}
{{- $isScaled := and .Values.worker.enabled $keda.enabled $keda.prometheusAddress }}
{{- $monitoring := .Values.monitoring }}
{{- if and (or $isScaled $monitoring.prometheusRule.enabled) (not $monitoring.serviceMonitor.enabled) }}

WARNING: monitoring.serviceMonitor is off. Alerts and KEDA see only metrics with the labels "service", the name of a Service such as
{{ include "taskgraph.fullname" . }}-worker-admin, "namespace" and "pod". Let your own scrapes add them.
{{- end }}
{{- if and .Release.IsUpgrade .Values.exports.enabled }}
{{- /* The CronJob as the upgrade finds it; nothing without a cluster. */}}
{{- $name := printf "%s-export" (include "taskgraph.fullname" .) }}
{{- $job := dig "spec" "jobTemplate" "spec" "template" "spec" dict (lookup "batch/v1" "CronJob" .Release.Namespace $name) }}
{{- $folder := include "taskgraph.exportsFolder" . }}
{{- range (default list $job.containers) }}
{{- range (default list .volumeMounts) }}
{{- if and (eq .name "exports") (ne (default "." .subPath) $folder) }}

WARNING: exports move from the folder {{ default "." .subPath | quote }} of their volume to {{ $folder | quote }}. Older files are neither tested nor
deleted, and need space: move them, as "Exports by schedule" in docs/operations.md says.
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
