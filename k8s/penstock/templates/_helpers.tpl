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

{{/* Labels of an object: the chart's own before those of values. */}}
{{- define "penstock.labels" -}}
{{- include "penstock.labelsAnd" (list . dict) -}}
{{- end -}}

{{/* The same with more labels: (list . MORE). */}}
{{- define "penstock.labelsAnd" -}}
{{- $more := index . 1 -}}
{{- with index . 0 -}}
{{- $own := include "penstock.selector" . | fromYaml -}}
{{- $own = set $own "app.kubernetes.io/version" .Chart.AppVersion -}}
{{- $own = set $own "app.kubernetes.io/managed-by" .Release.Service -}}
{{- $own = set $own "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_") -}}
{{- merge $own $more .Values.commonLabels | toYaml -}}
{{- end -}}
{{- end -}}

{{/* Those of these values that are set, as they are. */}}
{{- define "penstock.passed" -}}
{{- range $field, $value := . }}
{{- if $value }}
{{ dict $field $value | toYaml }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "penstock.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}

{{- define "penstock.serviceAccount" -}}
{{- with .Values.serviceAccount -}}
{{ .name | default (ternary (include "penstock.fullname" $) "default" .create) }}
{{- end -}}
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
{{- $most := int .Values.replicaCount -}}
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

{{/* "yes" where the route files have a first key, of values or of the chart. */}}
{{- define "penstock.hasFirstKey" -}}
{{- if and .Values.keys.required (not .Values.routesConfigMap) -}}
{{- with .Values.keys.first -}}
{{- if or .create .existingSecret.name -}}yes{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "penstock.firstKeyName" -}}
{{ include "penstock.fullname" . }}-first-key
{{- end -}}

{{/* Security of a pod, of values and the user of its image: (list . VALUES USER). */}}
{{- define "penstock.podSecurity" -}}
{{- $values := index . 1 -}}
{{- $user := index . 2 -}}
{{- with index . 0 -}}
{{- $ids := dict "runAsUser" $user "runAsGroup" $user "fsGroup" $user -}}
{{- if or .Values.openshift (.Capabilities.APIVersions.Has "security.openshift.io/v1") -}}
{{- $ids = dict -}}
{{- end -}}
{{- merge dict $values $ids | toYaml -}}
{{- end -}}
{{- end -}}

{{/* Names of hosts are looked up in any namespace: not all clusters have their DNS in kube-system. */}}
{{- define "penstock.dnsEgress" -}}
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
{{- end -}}
