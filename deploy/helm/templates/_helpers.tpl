{{- define "artifact-server.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "artifact-server.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "artifact-server.labels" -}}
{{ include "artifact-server.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Refuses what the server cannot do, with the remedy. */}}
{{- define "artifact-server.check" -}}
{{- if ne (int .Values.replicas) 1 -}}
{{- fail "replicas must be 1: several servers of one installation do not exist yet (there is no artifact-server.cluster), and a second one would only wait for the lock of the first. Put a caching proxy or a CDN in front instead: docs/front.md." -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (ne (int .Values.autoscaling.maxReplicas) 1) -}}
{{- fail "autoscaling.maxReplicas must be 1: several servers of one installation do not exist yet (there is no artifact-server.cluster)." -}}
{{- end -}}
{{- if and .Values.database.url .Values.database.cloudNativePG.enabled -}}
{{- fail "database.url and database.cloudNativePG.enabled exclude each other: name your database, or have one made." -}}
{{- end -}}
{{- if and .Values.database.url (not .Values.database.passwordSecret) -}}
{{- fail "database.url needs database.passwordSecret, the name of a Secret with the password." -}}
{{- end -}}
{{- if and (eq .Values.storage.backend "s3") (not .Values.storage.s3.bucket) -}}
{{- fail "storage.backend s3 needs storage.s3.bucket." -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not .Values.serviceMonitor.tokenSecret) -}}
{{- fail "serviceMonitor needs serviceMonitor.tokenSecret, the name of a Secret with an admin's token." -}}
{{- end -}}
{{- end -}}

{{/* A property as the environment variable that Spring Boot reads. */}}
{{- define "artifact-server.variable" -}}
{{- . | replace "-" "" | replace "." "_" | replace "[" "_" | replace "]" "" | upper -}}
{{- end -}}
