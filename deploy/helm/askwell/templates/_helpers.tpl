{{- define "askwell.name" -}}
{{- if contains "askwell" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-askwell" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "askwell.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
app.kubernetes.io/name: askwell
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
{{- end }}

{{- define "askwell.selector" -}}
app.kubernetes.io/name: askwell
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "askwell.serviceAccount" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}{{ else if .Values.serviceAccount.create }}{{ include "askwell.name" . }}{{ else }}default{{ end }}
{{- end }}

{{- define "askwell.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest }}{{ printf "%s@%s" $image.repository $image.digest }}{{ else }}{{ printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) }}{{ end }}
{{- end }}

{{- define "askwell.hosts" -}}
{{- $name := include "askwell.name" . -}}
{{- $own := list "localhost" $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) -}}
{{- $ingress := ternary .Values.ingress.hosts (list) .Values.ingress.enabled -}}
{{- concat $own $ingress .Values.allowedHosts | uniq | join "," -}}
{{- end }}

{{- /* A probe of the path in .path: it comes with the pod's address as its host, unless it is told another one. */ -}}
{{- define "askwell.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  httpHeaders:
    - {name: Host, value: localhost}
{{- end }}

{{- /* The pod of .part, with its values in .values, its arguments in .args, and what is its own of the environment in .env. */ -}}
{{- define "askwell.pod" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "askwell.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
  annotations:
    checksum/config: {{ include (print $root.Template.BasePath "/configmap.yaml") $root | sha256sum }}
    prometheus.io/scrape: "true"
    prometheus.io/port: "5555"
    prometheus.io/path: /v1/metrics
    {{- with .values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "askwell.serviceAccount" $root }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add $root.Values.terminationGraceSeconds (default 0 .values.preStopSeconds) }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: {type: RuntimeDefault}
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: askwell
      image: {{ include "askwell.image" $root | quote }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: {{ toJson .args }}
      ports:
        - {name: http, containerPort: 5555}
      envFrom:
        - secretRef: {name: {{ $root.Values.secretName | quote }}}
      env:
        - {name: ASKWELL_CONFIG, value: /etc/askwell/config.yaml}
        # Prometheus asks each pod by its address.
        - name: POD_IP
          valueFrom:
            fieldRef: {fieldPath: status.podIP}
        - {name: ASKWELL_SERVER__ALLOWED_HOSTS, value: {{ printf "%s,$(POD_IP)" (include "askwell.hosts" $root) | quote }}}
        {{- if $root.Values.qdrant.url }}
        - {name: ASKWELL_DOCUMENT_STORE__PROVIDER, value: qdrant}
        - {name: ASKWELL_DOCUMENT_STORE__LOCATION, value: {{ $root.Values.qdrant.url | quote }}}
        {{- end }}
        {{- range $name, $value := merge (dict) .env $root.Values.env }}
        - {name: {{ $name }}, value: {{ $value | quote }}}
        {{- end }}
      startupProbe:
        {{- include "askwell.probe" (dict "path" "/v1/health/live") | nindent 8 }}
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        {{- include "askwell.probe" (dict "path" "/v1/health/live") | nindent 8 }}
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        {{- include "askwell.probe" (dict "path" "/v1/health/ready") | nindent 8 }}
        periodSeconds: 5
        timeoutSeconds: 5
      {{- if .values.preStopSeconds }}
      lifecycle:
        preStop:
          exec:
            command: [python, -I, -S, -c, "import time; time.sleep({{ .values.preStopSeconds }})"]
      {{- end }}
      {{- with .values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: config, mountPath: /etc/askwell, readOnly: true}
        - {name: home, mountPath: /var/lib/askwell}
        - {name: tmp, mountPath: /tmp}
  volumes:
    - name: config
      configMap: {name: {{ include "askwell.name" $root }}}
    - name: home
      {{- if .claim }}
      persistentVolumeClaim: {claimName: {{ .claim }}}
      {{- else }}
      emptyDir: {sizeLimit: 1Gi}
      {{- end }}
    - name: tmp
      emptyDir: {sizeLimit: 1Gi}
  {{- with .values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .values.affinity }}
  affinity:
    {{- toYaml .values.affinity | nindent 4 }}
  {{- else }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "askwell.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ .part }}
  {{- end }}
{{- end }}
