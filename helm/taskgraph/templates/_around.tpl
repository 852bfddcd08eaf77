{{/* What stands around each workload: the service for its metrics, and its disruption budget. */}}

{{/* Headless, for the scrapes of Prometheus: an address that is shared would ask any one pod. In: root, name. */}}
{{- define "taskgraph.adminService" -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "taskgraph.metadata" (dict "root" .root "component" .name "suffix" (printf "%s-admin" .name) "labels" (dict "taskgraph/metrics" "true")) | nindent 2 }}
spec:
  clusterIP: None
  {{- /* Metrics of pods that are not ready are those that are wanted most. */}}
  publishNotReadyAddresses: true
  ports:
    - name: admin
      port: {{ .root.Values.adminPort.port }}
      targetPort: admin
  selector:
    {{- include "taskgraph.selectorLabels" (dict "root" .root "component" .name) | nindent 4 }}
{{- end -}}

{{- define "taskgraph.disruption" -}}
{{- $service := include "taskgraph.service" . | fromYaml -}}
{{- $budget := $service.podDisruptionBudget -}}
{{- if $budget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "taskgraph.metadata" (dict "root" .root "component" .name "suffix" .name) | nindent 2 }}
spec:
  maxUnavailable: {{ $budget.maxUnavailable }}
  {{- if and $budget.unhealthyPodEvictionPolicy (semverCompare ">=1.27.0-0" .root.Capabilities.KubeVersion.Version) }}
  unhealthyPodEvictionPolicy: {{ $budget.unhealthyPodEvictionPolicy }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "taskgraph.selectorLabels" (dict "root" .root "component" .name) | nindent 6 }}
{{- end }}
{{- end -}}
