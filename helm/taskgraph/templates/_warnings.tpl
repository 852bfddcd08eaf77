{{/*
What is said after an install that works, but is not safe, or not as it was meant.
*/}}
{{- define "taskgraph.warnings" -}}
{{- if .Values.secrets.values }}

WARNING: secrets.values is for trials. Helm keeps these texts in the release; put them into a Secret of your own.
{{- end }}
{{- if and .Values.ingress.enabled (empty .Values.ingress.tls) }}

WARNING: the Ingress has no TLS of its own. Tokens are safe only if something in front of it has.
{{- end }}
{{- if not .Values.networkPolicy.enabled }}

WARNING: without network policies every pod of the cluster can reach the services and their metrics.
{{- end }}
{{- $config := .Values.gateway.config }}
{{- $isOutside := and .Values.gateway.enabled (or .Values.ingress.enabled .Values.gatewayApi.enabled) }}
{{- if and $isOutside (empty $config.TRUSTED_PROXIES) }}

WARNING: gateway.config.TRUSTED_PROXIES names no proxy. All callers from outside count as one for the limits, and can open ten
connections a minute together. Name the addresses of the pods of the Ingress or Gateway controller, as narrow as you can.
{{- end }}
{{- if regexMatch "/1?[0-9]\\s*(,|$)" (default "" $config.TRUSTED_PROXIES) }}

WARNING: gateway.config.TRUSTED_PROXIES names a wide network. Whoever reaches a gateway from inside it can make up an address for
the limits. Name the addresses of the proxies alone.
{{- end }}
{{- end }}
