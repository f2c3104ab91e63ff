{{/* What a Secret of this name holds already, as JSON: what was made once is not made again. */}}
{{- define "penstock.kept" -}}
{{- (lookup "v1" "Secret" .Release.Namespace .name).data | default dict | toJson -}}
{{- end -}}
