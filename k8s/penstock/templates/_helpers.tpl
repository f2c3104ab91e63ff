{{- define "penstock.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* What all pods of the release have, and no others; "component" is added to it. */}}
{{- define "penstock.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "penstock.labels" -}}
{{ include "penstock.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "penstock.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "penstock.operatorName" -}}
{{ include "penstock.fullname" . }}-operator
{{- end -}}

{{- define "penstock.redisName" -}}
{{ include "penstock.fullname" . }}-redis
{{- end -}}

{{- define "penstock.redisNamespace" -}}
{{ .Values.redis.namespace | default (include "penstock.fullname" .) }}
{{- end -}}

{{/* "yes" where instances have a Redis to share limits through. */}}
{{- define "penstock.hasRedis" -}}
{{- with .Values.redis -}}
{{- if or .bundled.enabled .url .existingSecret.name -}}yes{{- end -}}
{{- end -}}
{{- end -}}

{{/* "yes" where the coordination API has a Redis of its own. */}}
{{- define "penstock.hasCoordinationRedis" -}}
{{- with .Values.coordination.redis -}}
{{- if or .url .existingSecret.name -}}yes{{- end -}}
{{- end -}}
{{- end -}}

{{/* "yes" where the objects of the coordination API are in the bundled Redis. */}}
{{- define "penstock.bundledCoordination" -}}
{{- if and .Values.coordination.enabled (not (include "penstock.hasCoordinationRedis" .)) -}}yes{{- end -}}
{{- end -}}

{{- define "penstock.hasDatabase" -}}
{{- if or .Values.database.url .Values.database.existingSecret.name -}}yes{{- end -}}
{{- end -}}

{{/* "yes" where there may be more than one instance for longer than an upgrade takes. */}}
{{- define "penstock.many" -}}
{{- $most := int .Values.replicas -}}
{{- if .Values.autoscaling.enabled -}}{{- $most = int .Values.autoscaling.maxReplicas -}}{{- end -}}
{{- if .Values.keda.enabled -}}{{- $most = int .Values.keda.maxReplicas -}}{{- end -}}
{{- if gt $most 1 -}}yes{{- end -}}
{{- end -}}

{{- define "penstock.tokenSecret" -}}
{{ .Values.operator.existingSecret.name | default (include "penstock.fullname" .) }}
{{- end -}}

{{- define "penstock.tokenKey" -}}
{{ ternary .Values.operator.existingSecret.key "operator-token" (ne .Values.operator.existingSecret.name "") }}
{{- end -}}

{{/* What every container is held to: the restricted profile, and no file to write. */}}
{{- define "penstock.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "penstock.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* The user of the image. */}}
{{- define "penstock.user" -}}65532{{- end -}}

{{/* The user "redis" of the image. */}}
{{- define "penstock.redisUser" -}}999{{- end -}}

{{/* Names of hosts are looked up in any namespace: not all clusters have their DNS in kube-system. */}}
{{- define "penstock.dnsEgress" -}}
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
{{- end -}}
