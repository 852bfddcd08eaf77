{{/* The Deployment of gateway, worker, jobs or hooks. In: root, name, ports (further container ports, YAML). */}}
{{- define "taskgraph.workload" -}}
{{- $root := .root -}}
{{- $service := include "taskgraph.service" . | fromYaml -}}
{{- $selector := dict "root" $root "component" .name -}}
{{- $autoscaled := or (dig "autoscaling" "enabled" false $service) (dig "keda" "enabled" false $service) -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "taskgraph.metadata" (dict "root" $root "component" .name "suffix" .name "annotations" $service.annotations) | nindent 2 }}
spec:
  {{- if not $autoscaled }}
  replicas: {{ $service.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ $service.revisionHistoryLimit }}
  progressDeadlineSeconds: {{ $service.progressDeadlineSeconds }}
  minReadySeconds: {{ $service.minReadySeconds }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      {{- toYaml $service.rollingUpdate | nindent 6 }}
  selector:
    matchLabels:
      {{- include "taskgraph.selectorLabels" $selector | nindent 6 }}
  template:
    metadata:
      labels:
        {{- $labels := include "taskgraph.labels" $selector | fromYaml }}
        {{- toYaml (mergeOverwrite $labels $service.podLabels) | nindent 8 }}
      annotations:
        {{- /* A changed Secret of the chart starts the pods again. */}}
        checksum/secrets: {{ toJson $root.Values.secrets.values | sha256sum }}
        {{- with $service.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "taskgraph.podBasics" (dict "root" $root "service" $service "account" (include "taskgraph.serviceAccountName" $root)) | nindent 6 }}
      terminationGracePeriodSeconds: {{ add $service.shutdown.preStopSeconds $service.shutdown.stopSeconds 5 }}
      {{- if $service.affinity }}
      affinity:
        {{- toYaml $service.affinity | nindent 8 }}
      {{- else }}
      affinity:
        podAntiAffinity:
          preferredDuringSchedulingIgnoredDuringExecution:
            - weight: 50
              podAffinityTerm:
                topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    {{- include "taskgraph.selectorLabels" $selector | nindent 20 }}
      {{- end }}
      {{- with $service.topologySpread.keys }}
      topologySpreadConstraints:
        {{- range . }}
        - topologyKey: {{ . }}
          maxSkew: {{ $service.topologySpread.maxSkew }}
          whenUnsatisfiable: {{ $service.topologySpread.whenUnsatisfiable }}
          {{- if semverCompare ">=1.26.0-0" $root.Capabilities.KubeVersion.Version }}
          nodeTaintsPolicy: {{ $service.topologySpread.nodeTaintsPolicy }}
          {{- end }}
          {{- if semverCompare ">=1.27.0-0" $root.Capabilities.KubeVersion.Version }}
          {{- with $service.topologySpread.matchLabelKeys }}
          matchLabelKeys:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          {{- end }}
          labelSelector:
            matchLabels:
              {{- include "taskgraph.selectorLabels" $selector | nindent 14 }}
        {{- end }}
      {{- end }}
      {{- with $service.initContainers }}
      initContainers:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .name }}
          image: {{ include "taskgraph.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [services/{{ .name }}/dist/main.js]
          env:
            {{- include "taskgraph.environment" (dict "root" $root "name" .name "config" $service.config "extraEnv" $service.extraEnv) | nindent 12 }}
          {{- with $service.extraEnvFrom }}
          envFrom:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          ports:
            {{- with .ports }}
            {{- . | nindent 12 }}
            {{- end }}
            - name: admin
              containerPort: {{ $root.Values.adminPort.port }}
          startupProbe:
            httpGet: {path: /livez, port: admin}
            {{- toYaml $service.probes.startup | nindent 12 }}
          readinessProbe:
            httpGet: {path: /readyz, port: admin}
            {{- toYaml $service.probes.readiness | nindent 12 }}
          livenessProbe:
            httpGet: {path: /livez, port: admin}
            {{- toYaml $service.probes.liveness | nindent 12 }}
          {{- if $service.shutdown.preStopSeconds }}
          lifecycle:
            preStop:
              {{- include "taskgraph.preStop" (dict "root" $root "seconds" $service.shutdown.preStopSeconds) | nindent 14 }}
          {{- end }}
          resources:
            {{- toYaml $service.resources | nindent 12 }}
          securityContext:
            {{- include "taskgraph.withoutNulls" $service.containerSecurityContext | nindent 12 }}
          volumeMounts:
            - name: tmp
              mountPath: /tmp
            {{- with include "taskgraph.certificateMounts" (dict "root" $root "name" .name) | trim }}
            {{- . | nindent 12 }}
            {{- end }}
            {{- with $service.extraVolumeMounts }}
            {{- toYaml . | nindent 12 }}
            {{- end }}
        {{- with $service.sidecars }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      volumes:
        {{- include "taskgraph.volumes" $service | nindent 8 }}
        {{- with include "taskgraph.certificateVolumes" (dict "root" $root "name" .name) | trim }}
        {{- . | nindent 8 }}
        {{- end }}
{{- end -}}

{{/* What all pods have, the migration's and the test's too. In: root, service (or defaults), account. */}}
{{- define "taskgraph.podBasics" -}}
serviceAccountName: {{ .account }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "taskgraph.withoutNulls" .service.podSecurityContext | nindent 2 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .service.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .service.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .service.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .service.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with .service.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .service.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "taskgraph.volumes" -}}
- name: tmp
  emptyDir:
    medium: Memory
    sizeLimit: {{ .temporaryStorage }}
{{- with .extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
