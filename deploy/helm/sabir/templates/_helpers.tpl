{{- define "sabir.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "sabir.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sabir.labels" -}}
{{ include "sabir.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "sabir.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "sabir.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "sabir.redis" -}}
{{- if or .Values.redis.url .Values.redis.existingSecret }}true{{ end }}
{{- end }}

{{/* The configuration: that of the values, and what the chart knows. */}}
{{- define "sabir.config" -}}
{{- $set := dict "listen" "0.0.0.0:8080" "admin" "0.0.0.0:9090" "timeouts" (dict "drain" (printf "%ds" (int .Values.drainSeconds))) }}
{{- if .Values.adminSHA256 }}{{ $_ := set $set "auth" (dict "admin_sha256" .Values.adminSHA256) }}{{ end }}
{{- if include "sabir.redis" . }}{{ $_ := set $set "store" (dict "redis" (dict "url" "${REDIS_URL}")) }}{{ end }}
{{- toYaml (mustMergeOverwrite (deepCopy .Values.config) $set) }}
{{- end }}
