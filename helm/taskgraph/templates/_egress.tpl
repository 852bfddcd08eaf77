{{/* What network policies let pods reach: names, and the backends. */}}

{{- define "taskgraph.egress" -}}
{{- $policy := .Values.networkPolicy -}}
- ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
  {{- with $policy.dnsTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* Rules for the backends of a service. In: root, name. */}}
{{- define "taskgraph.backendEgress" -}}
{{- $policy := .root.Values.networkPolicy -}}
{{- range $backend := include "taskgraph.backends" .name | fromJsonArray }}
- ports:
    {{- range (get $policy $backend).ports }}
    - port: {{ . }}
    {{- end }}
  {{- with (get $policy $backend).to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}
