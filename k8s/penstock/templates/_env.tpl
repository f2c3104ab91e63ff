{{/* The settings: variables that are Spring properties, and those route files name. */}}
{{- define "penstock.env" -}}
{{- $name := include "penstock.fullname" . -}}
{{- $redis := .Values.redis -}}
env:
  - {name: JAVA_TOOL_OPTIONS, value: {{ .Values.jvmOptions | quote }}}
  - {name: PENSTOCK_KEYS_REQUIRED, value: {{ .Values.keys.required | quote }}}
  {{- with .Values.keys.store }}
  - {name: PENSTOCK_KEYS_STORE, value: {{ . }}}
  {{- end }}
  - {name: PENSTOCK_DRAIN_PAUSE, value: {{ int64 .Values.drain.pauseSeconds }}s}
  - {name: PENSTOCK_DRAIN_TIMEOUT, value: {{ int64 .Values.drain.parkedSeconds }}s}
  - {name: PENSTOCK_STREAM_DRAIN_TIMEOUT, value: {{ int64 .Values.drain.streamsSeconds }}s}
  - name: PENSTOCK_OPERATOR_TOKEN
    valueFrom:
      secretKeyRef: {name: {{ include "penstock.tokenSecret" . }}, key: {{ include "penstock.tokenKey" . }}}
  {{- if include "penstock.hasRedis" . }}
  {{- if $redis.bundled.enabled }}
  - {name: PENSTOCK_REDIS_URL, value: "redis://{{ include "penstock.redisName" . }}:6379"}
  - {name: PENSTOCK_REDIS_USER, value: penstock}
  - name: PENSTOCK_REDIS_PASSWORD
    {{- include "penstock.redisPassword" . | nindent 4 }}
  {{- else }}
  - name: PENSTOCK_REDIS_URL
    valueFrom:
      secretKeyRef:
        name: {{ $redis.existingSecret.name | default $name }}
        key: {{ ternary $redis.existingSecret.key "redis-url" (ne $redis.existingSecret.name "") }}
  {{- end }}
  {{- end }}
  {{- if or (include "penstock.hasRedis" .) (include "penstock.hasCoordinationRedis" .) }}
  - {name: PENSTOCK_REDIS_NAMESPACE, value: {{ include "penstock.redisNamespace" . | quote }}}
  {{- end }}
  {{- if include "penstock.hasRedis" . }}
  - {name: PENSTOCK_REDIS_SHARING, value: {{ .Values.sharing }}}
  - {name: PENSTOCK_REDIS_ON_OUTAGE, value: {{ $redis.onOutage }}}
  - {name: PENSTOCK_REDIS_UNKNOWN_IN_OUTAGE, value: {{ $redis.unknownInOutage }}}
  - {name: PENSTOCK_REDIS_SYNC_INTERVAL, value: {{ $redis.syncInterval }}}
  - {name: PENSTOCK_REDIS_LEASE, value: {{ $redis.lease }}}
  {{- end }}
  {{- if .Values.coordination.enabled }}
  - {name: PENSTOCK_COORDINATION_ENABLED, value: "true"}
  - {name: PENSTOCK_COORDINATION_MAX_BYTES, value: {{ .Values.coordination.maxBytes }}}
  {{- if include "penstock.hasCoordinationRedis" . }}
  {{- with .Values.coordination.redis.existingSecret }}
  - name: PENSTOCK_COORDINATION_REDIS_URL
    valueFrom:
      secretKeyRef: {name: {{ .name | default $name }}, key: {{ ternary .key "coordination-redis-url" (ne .name "") }}}
  {{- end }}
  {{- end }}
  {{- end }}
  {{- if include "penstock.hasDatabase" . }}
  {{- with .Values.database.existingSecret }}
  - name: PENSTOCK_DATABASE_URL
    valueFrom:
      secretKeyRef: {name: {{ .name | default $name }}, key: {{ ternary .key "database-url" (ne .name "") }}}
  {{- end }}
  {{- end }}
  {{- if include "penstock.hasFirstKey" . }}
  {{- with .Values.keys.first.existingSecret }}
  {{- if .name }}
  - name: FIRST_KEY_SHA256
    valueFrom:
      secretKeyRef: {name: {{ .name }}, key: {{ .key }}}
  {{- end }}
  {{- end }}
  {{- end }}
  {{- with .Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- if or .Values.providerKeys.values .Values.providerKeys.existingSecret .Values.extraEnvFrom }}
envFrom:
  {{- if .Values.providerKeys.values }}
  - secretRef: {name: {{ $name }}-providers}
  {{- end }}
  {{- with .Values.providerKeys.existingSecret }}
  - secretRef: {name: {{ . }}}
  {{- end }}
  {{- with .Values.extraEnvFrom }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "penstock.redisPassword" -}}
{{- with .Values.redis.bundled.existingSecret -}}
valueFrom:
  secretKeyRef:
    name: {{ .name | default (include "penstock.redisName" $) }}
    key: {{ ternary .key "redis-password" (ne .name "") }}
{{- end -}}
{{- end -}}
